import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ModelPart, ModelRequest } from '../core/session/model.ts'
import { SessionHarness } from '../testing/node/session-harness.ts'
import { startStrictOpenAi, type Reply, type StrictOpenAi } from '../testing/node/strict-openai.ts'
import { createOpenAiModel } from './openai.ts'

// What a provider wants back with the next step: without it, that step is refused.

let server: StrictOpenAi
beforeEach(async () => {
  server = await startStrictOpenAi()
})
afterEach(() => server.close())

const LOOK = { id: 'call_1', name: 'look', arguments: '{}' }
const FIRST: Reply = [
  { reasoning: 'Let me see. ' },
  { reasoning: 'I look.' },
  { text: 'One moment.' },
  { toolCall: { ...LOOK, signature: 'c2lnbmVk' } },
  { finish: 'tool_calls' },
]

/** A session in which the scripted model says what the real one made of a reply. */
async function takeFirstStep(modelId: string, reply = FIRST): Promise<ModelRequest> {
  const model = createOpenAiModel({ baseURL: server.url, modelId })
  const harness = await SessionHarness.create()
  harness.command({ type: 'configure', changes: { model: 'scripted' } })
  harness.command({ type: 'send', text: 'Look' })
  await harness.settle()
  const { current } = harness.model
  server.setScript(() => reply)
  const parts: ModelPart[] = []
  await model.stream(current.request, new AbortController().signal, (part) => parts.push(part))
  for (const part of parts) current.emit(part)
  current.finish('tool_calls')
  await harness.settle()
  harness.tools.open[0]!.settle({ ok: true, result: 'seen' })
  await harness.settle()
  return rename(harness.model.current.request, modelId)
}

/** As if the session's model had been this one: the scripted one has a name of its own. */
const rename = (request: ModelRequest, modelId: string): ModelRequest =>
  JSON.parse(
    JSON.stringify(request).replaceAll('"model":"scripted"', `"model":"${modelId}"`),
  ) as ModelRequest

async function ask(modelId: string, request: ModelRequest) {
  const model = createOpenAiModel({ baseURL: server.url, modelId })
  server.setScript(() => [{ text: 'Yes.' }, { finish: 'stop' }])
  await model.stream(request, new AbortController().signal, () => {})
  // Without the system prompt.
  return server.requests.at(-1)!.messages.slice(1)
}

describe('[BAK1] the second step of a call', () => {
  test.each(['deepseek-reasoner', 'deepseek-v4-pro', 'kimi-k2-thinking'])(
    'goes back to %s with the thought before it',
    async (modelId) => {
      const messages = await ask(modelId, await takeFirstStep(modelId))
      expect(server.violations).toEqual([])
      expect(messages[1]).toMatchObject({
        reasoning_content: 'Let me see. I look.',
        content: 'One moment.',
      })
    },
  )

  test('goes back to DeepSeek with an empty thought where there was none', async () => {
    const reply: Reply = [{ toolCall: LOOK }, { finish: 'tool_calls' }]
    const messages = await ask('deepseek-chat', await takeFirstStep('deepseek-chat', reply))
    expect(messages[1]).toMatchObject({ reasoning_content: '' })
    // Another model's thought is not its own.
    const other = await ask('deepseek-chat', await takeFirstStep('qwen3'))
    expect(other[1]).toMatchObject({ reasoning_content: '' })
    expect(server.violations).toEqual([])
  })

  test('goes back to Gemini with the signature of the call', async () => {
    const messages = await ask('gemini-3-pro', await takeFirstStep('gemini-3-pro'))
    expect(server.violations).toEqual([])
    const [call] = messages[1]!.tool_calls!
    expect(call).toMatchObject({ extra_content: { google: { thought_signature: 'c2lnbmVk' } } })
    expect(messages[1]).not.toHaveProperty('reasoning_content')
  })

  test('that Gemini did not make says so, and Gemini 2 is not told', async () => {
    const request = await takeFirstStep('gpt-5')
    const [call] = (await ask('gemini-3-pro', request))[1]!.tool_calls!
    expect(call?.extra_content?.google?.thought_signature).toBe('skip_thought_signature_validator')
    const [older] = (await ask('gemini-2.5-pro', request))[1]!.tool_calls!
    expect(older).not.toHaveProperty('extra_content')
    expect(server.violations).toEqual([])
  })

  test('goes to everybody else without either', async () => {
    const messages = await ask('gpt-5', await takeFirstStep('qwen3'))
    expect(messages[1]).not.toHaveProperty('reasoning_content')
    expect(messages[1]!.tool_calls![0]).not.toHaveProperty('extra_content')
    expect(server.violations).toEqual([])
  })

  test('a server that nobody knew to want thoughts gets them once it has said so', async () => {
    // Its name says nothing to us; the strict server knows it for what it is.
    const modelId = 'our-own-deepseek'
    const request = await takeFirstStep(modelId)
    const model = createOpenAiModel({ baseURL: server.url, modelId })
    server.setScript(() => [{ text: 'Yes.' }, { finish: 'stop' }])
    const { signal } = new AbortController()
    const asked = server.requests.length
    expect(await model.stream(request, signal, () => {})).toMatchObject({ stopReason: 'stop' })
    expect(await model.stream(request, signal, () => {})).toMatchObject({ stopReason: 'stop' })
    // One refusal for as long as the model is held.
    expect(server.requests.length - asked).toBe(3)
    expect(server.violations.map(({ rule }) => rule)).toEqual(['thought'])
  })
})

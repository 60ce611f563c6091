import { expect, test } from 'vitest'
import type { ModelPart, ModelRequest } from '../core/session/model.ts'
import { createWorkersAiModel, type WorkersAi } from './workers-ai.ts'

const REQUEST: ModelRequest = {
  system: 'Be brief.',
  messages: [
    { role: 'user', text: 'Look' },
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', callId: 'a', toolName: 'look', arguments: '{}' }],
    },
    { role: 'tool', results: [{ callId: 'a', toolName: 'look', ok: true, text: 'found' }] },
  ],
  tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
}

async function ask(run: WorkersAi['run'], signal = new AbortController().signal) {
  const model = createWorkersAiModel({ ai: { run }, modelId: '@cf/x' })
  const parts: ModelPart[] = []
  const finish = await model.stream(REQUEST, signal, (part) => {
    if (part.type !== 'activity') parts.push(part)
  })
  return { parts, finish }
}

test('[BAK1] the binding gets the model, a stream, and messages that all have content', async () => {
  const asked: unknown[] = []
  await ask((model, input, options) => {
    asked.push(model, input, options?.signal)
    return Promise.resolve({ response: 'x' })
  })
  expect(asked).toEqual([
    '@cf/x',
    {
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Look' },
        { role: 'assistant', content: '', tool_calls: [expect.objectContaining({ id: 'a' })] },
        { role: 'tool', tool_call_id: 'a', content: 'found' },
      ],
      tools: [expect.objectContaining({ type: 'function' })],
    },
    expect.any(AbortSignal),
  ])
})

const CALL = { name: 'look', arguments: { at: 1 } }

test.each([
  ['in its own shape', { response: 'Hi', tool_calls: [CALL], usage: { total_tokens: 0 } }],
  [
    'in OpenAI’s shape',
    {
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'Hi',
            tool_calls: [
              { id: 'b', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    },
  ],
])('[BAK1] an answer all at once, %s, is read as a stream', async (_, answer) => {
  const { parts, finish } = await ask(() => Promise.resolve(answer))
  expect(parts[0]).toEqual({ type: 'text', text: 'Hi' })
  expect(parts.at(-1)).toMatchObject({ type: 'tool_call', toolName: 'look', arguments: '{"at":1}' })
  expect(finish).toEqual({ stopReason: 'tool_calls', usage: null })
})

test.each([
  ['AiError: 5007: No such model @cf/x or task', 'model_not_found'],
  ['AiError: 3040: Capacity temporarily exceeded, please try again.', 'model_overloaded'],
  ['4006: you have used up your daily free allocation of 10,000 neurons', 'model_unpaid'],
  ['3036: You have used up your daily free allocation of 10,000 neurons.', 'model_unpaid'],
  ['5021: The estimated number of input tokens exceeded this model', 'model_context_overflow'],
  ['3007: Request timeout', 'model_unavailable'],
  ['5016: User has not agreed to the model terms', 'model_unauthorized'],
  ["5006: Error: required properties at '/' are 'prompt'", 'model_bad_request'],
  ['Network connection lost.', 'model_unavailable'],
])('[BAK1] the failure "%s" is %s', async (message, code) => {
  await expect(ask(() => Promise.reject(new Error(message)))).rejects.toMatchObject({ code })
})

test('[CAN1] an abort reaches the binding and rejects with its reason', async () => {
  const controller = new AbortController()
  const reason = new Error('the person stopped')
  const signals: (AbortSignal | undefined)[] = []
  const asked = Promise.withResolvers<void>()
  const finish = ask((_model, _input, options) => {
    signals.push(options?.signal)
    asked.resolve()
    return new Promise(() => {})
  }, controller.signal)
  await asked.promise
  controller.abort(reason)
  await expect(finish).rejects.toBe(reason)
  expect(signals[0]?.aborted).toBe(true)
})

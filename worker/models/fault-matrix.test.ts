import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RETRIES_PER_MODEL } from '#protocol/limits'
import {
  ANSWER,
  FaultStage,
  goOn,
  PREAMBLE,
  QUESTION,
  type Api,
  type Asked,
  type FaultedSession,
} from '../testing/node/fault-stage.ts'
import type { Reply, ReplyStep } from '../testing/node/strict-reply.ts'

// Every fault at every point of an answer, from either API, with the other one to fall over to. All
// is counted at the servers.

const PER_MODEL = 1 + RETRIES_PER_MODEL
const APIS = ['openai', 'anthropic'] as const
const POINTS = ['start', 'thinking', 'text', 'arguments', 'second step'] as const
type Point = (typeof POINTS)[number]

let stage: FaultStage
beforeAll(async () => {
  stage = await FaultStage.start()
})
afterAll(() => stage.close())

type Told = { status: number; type: Record<Api, string>; message: Record<Api, string> | string }

const TOLD: Record<string, Told> = {
  '429': {
    status: 429,
    type: { openai: 'rate_limit_exceeded', anthropic: 'rate_limit_error' },
    message: 'Too many requests.',
  },
  '500': {
    status: 500,
    type: { openai: 'server_error', anthropic: 'api_error' },
    message: 'Internal server error',
  },
  '503': {
    status: 503,
    type: { openai: 'service_unavailable', anthropic: 'overloaded_error' },
    message: 'The engine is currently overloaded',
  },
  '529': {
    status: 529,
    type: { openai: 'overloaded', anthropic: 'overloaded_error' },
    message: 'Overloaded',
  },
  overflow: {
    status: 400,
    type: { openai: 'context_length_exceeded', anthropic: 'invalid_request_error' },
    message: {
      openai: "This model's maximum context length is 128000 tokens. Please reduce the length.",
      anthropic: 'prompt is too long: 210000 tokens > 200000 maximum',
    },
  },
  'a content filter': {
    status: 400,
    type: { openai: 'content_filter', anthropic: 'invalid_request_error' },
    message: {
      openai: "The response was filtered due to Azure OpenAI's content management policy.",
      anthropic: 'Output blocked by content filtering policy',
    },
  },
  'no tools': {
    status: 400,
    type: { openai: 'invalid_request_error', anthropic: 'invalid_request_error' },
    message: 'registry.ollama.ai/library/gemma:latest does not support tools',
  },
}
const BROKEN: Record<string, Reply> = {
  'a reset': [{ cut: true }],
  'a hang': [],
  garbage: [{ raw: 'data: {"choices": nonsense\n\n' }],
  'an early close': [],
}
const FAULTS = [...Object.keys(TOLD), ...Object.keys(BROKEN)]
const isTemporary = (fault: string): boolean =>
  fault in BROKEN || ['429', '500', '503', '529'].includes(fault)

function toError(fault: string, api: Api): { type: string; message: string } {
  const { type, message } = TOLD[fault]!
  return { type: type[api], message: typeof message === 'string' ? message : message[api] }
}

function toRefusal(fault: string, api: Api): Reply {
  const error = toError(fault, api)
  const body = api === 'openai' ? { error } : { type: 'error', error }
  return [{ status: TOLD[fault]!.status, body }]
}

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const HALF_ARGUMENTS = '{"what":"the f'

/** A call whose arguments break off. Anthropic's scripts close what they open: so, by hand. */
function toHalfCall(api: Api, blocks: number): ReplyStep {
  const call = { id: 'call_half', name: 'note' }
  if (api === 'openai') return { toolCall: { ...call, arguments: HALF_ARGUMENTS } }
  const content_block = { type: 'tool_use', ...call, input: {} }
  const delta = { type: 'input_json_delta', partial_json: HALF_ARGUMENTS }
  return {
    raw:
      event('content_block_stop', { index: blocks - 1 }) +
      event('content_block_start', { index: blocks, content_block }) +
      event('content_block_delta', { index: blocks, delta }),
  }
}

/** What is said before the fault, and the last of it. */
function toPrefix(point: Point, api: Api, { said }: Asked): { steps: Reply; last: string } {
  const thought = 'Let me think about it. '
  const thinking: ReplyStep = { reasoning: thought }
  switch (point) {
    case 'start':
    case 'second step':
      return { steps: [], last: '' }
    case 'thinking':
      return { steps: [thinking], last: thought }
    case 'text': {
      // Some words more each time.
      const words = PREAMBLE.slice(said.length, said.length + 12)
      return { steps: [thinking, { text: words }], last: words }
    }
    case 'arguments': {
      const rest = PREAMBLE.slice(said.length)
      const words = rest === '' ? [] : [{ text: rest }]
      const call = toHalfCall(api, 1 + words.length)
      return { steps: [thinking, ...words, call], last: HALF_ARGUMENTS }
    }
  }
}

/** The first model fails at this point, whenever it gets there. */
function setFault(session: FaultedSession, api: Api, fault: string, point: Point): void {
  stage.fault = (asked) => {
    if (asked.wants !== 'fox') return goOn(asked)
    if (point === 'second step' && asked.results === 0) return goOn(asked)
    if (fault === 'no tools' && !asked.hasTools) return goOn(asked)
    const { steps, last } = toPrefix(point, api, asked)
    if (fault in TOLD && steps.length === 0) return toRefusal(fault, api)
    const gate = stage.newGate(api)
    // Not before the engine has read what was said: a reset may take it along.
    void gate.reached
      .then(() => session.heard(last))
      .then(() => (fault === 'a hang' ? session.stall() : gate.release()))
    const broken = fault in TOLD ? [{ error: toError(fault, api) }] : BROKEN[fault]!
    return [...steps, { gate: gate.name }, ...broken]
  }
}

async function meet(api: Api, fault: string, point: Point): Promise<FaultedSession> {
  const session = await stage.open(api)
  for (const text of ['Good morning.', 'I like animals.']) await session.send(text)
  stage.asked.first.length = 0
  setFault(session, api, fault, point)
  await session.send(QUESTION)
  return session
}

const codes = (session: FaultedSession): string[] => session.of('warning').map(({ code }) => code)
const firstStep = (point: Point): number => (point === 'second step' ? 1 : 0)

function expectTakenOver(session: FaultedSession, point: Point): void {
  expect(stage.asked.first).toHaveLength(PER_MODEL + firstStep(point))
  // Notes the fox, and answers; where that was done already, only answers.
  expect(stage.asked.second).toHaveLength(2 - firstStep(point))
  expect(codes(session)).toEqual(Array.from({ length: RETRIES_PER_MODEL }, () => 'model_retry'))
  expect(session.of('model_fallback')).toMatchObject([{ preferred: 'first', actual: 'second' }])
}

/** Made shorter once by the first model, which refuses all the same; then the second takes over. */
function expectCompacted(session: FaultedSession, point: Point): void {
  expect(stage.asked.first.map(({ wants }) => wants)).toEqual([
    ...Array.from({ length: firstStep(point) }, () => 'fox'),
    'fox',
    'summary',
    'fox',
  ])
  expect(stage.asked.second).toHaveLength(2 - firstStep(point))
  expect(session.of('compacted')).toHaveLength(1)
  expect(codes(session)).toEqual([])
  expect(session.of('model_fallback')).toMatchObject([{ preferred: 'first', actual: 'second' }])
}

describe.each(APIS)('[RUN7] [BAK1] %s fails', (api) => {
  describe.each(FAULTS)('with %s', (fault) => {
    test.each(POINTS)('[TOOL3] at: %s', async (point) => {
      const session = await meet(api, fault, point)
      const [end] = session.of('run_done').slice(-1)
      if (fault === 'a content filter') {
        expect(end).toMatchObject({ outcome: 'failed' })
        expect(session.of('error')).toMatchObject([{ code: 'model_content_filter' }])
        expect(stage.asked.first).toHaveLength(1 + firstStep(point))
        expect(stage.asked.second).toHaveLength(0)
        expect(PREAMBLE.startsWith(session.text)).toBe(true)
        expect(session.noted).toHaveLength(firstStep(point))
      } else {
        expect(end).toMatchObject({ outcome: 'done' })
        expect(session.text).toBe(PREAMBLE + ANSWER)
      }
      if (isTemporary(fault)) expectTakenOver(session, point)
      if (fault === 'overflow') expectCompacted(session, point)
      if (fault === 'no tools') {
        expect(stage.asked.first).toHaveLength(2 + firstStep(point))
        expect(stage.asked.second).toHaveLength(0)
        expect(codes(session)).toEqual(['no_tool_support'])
        expect(session.noted).toHaveLength(firstStep(point))
      } else if (fault !== 'a content filter') {
        expect(session.noted).toEqual(['{"what":"the fox"}'])
      }
      const calls = session.of('tool_call_start').map(({ callId }) => callId)
      expect(session.of('tool_result').map(({ callId }) => callId)).toEqual(calls)
      expect(calls).toHaveLength(session.noted.length)

      // Whatever was left behind, the next request is one that both take.
      stage.fault = goOn
      await session.send('And then?')
      expect(session.of('run_done').at(-1)).toMatchObject({ outcome: 'done' })
      expect(stage.violations).toEqual([])
    })
  })
})

const OVERFLOWS: [who: string, api: Api, status: number, body: unknown][] = [
  [
    'OpenAI',
    'openai',
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  ],
  [
    'vLLM',
    'openai',
    400,
    { object: 'error', message: "This model's maximum context length is 4096 tokens.", code: 400 },
  ],
  [
    'llama.cpp',
    'openai',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
      },
    },
  ],
  ['Ollama', 'openai', 400, { error: 'input length exceeds the context length' }],
  [
    'OpenRouter',
    'openai',
    400,
    {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: { raw: '{"error":{"message":"Input is too long for requested model."}}' },
      },
    },
  ],
  [
    'Gemini',
    'openai',
    400,
    [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
  ],
  [
    'DeepSeek',
    'openai',
    400,
    {
      error: {
        message:
          "This model's maximum context length is 65536 tokens. However, you requested 70000",
        type: 'invalid_request_error',
      },
    },
  ],
  [
    'Mistral',
    'openai',
    400,
    {
      object: 'error',
      message:
        'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
    },
  ],
  ['Groq', 'openai', 413, { error: { message: 'Request too large for model', type: 'tokens' } }],
  [
    'Anthropic',
    'anthropic',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
    },
  ],
  [
    'Anthropic with its answer',
    'anthropic',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000',
      },
    },
  ],
  [
    'Anthropic by size',
    'anthropic',
    413,
    {
      type: 'error',
      error: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
    },
  ],
]

describe('[RUN8] too long, in the words of', () => {
  test.each(OVERFLOWS)('%s: made shorter, and answered by the same model', async (...words) => {
    const [, api, status, body] = words
    const session = await stage.open(api)
    for (const text of ['Good morning.', 'I like animals.']) await session.send(text)
    stage.asked.first.length = 0
    stage.fault = (asked, index) => (index === 0 ? [{ status, body }] : goOn(asked))
    await session.send(QUESTION)
    expect(stage.asked.first.map(({ wants }) => wants)).toEqual(['fox', 'summary', 'fox', 'fox'])
    expect(stage.asked.second).toHaveLength(0)
    expect(session.of('compacted')).toHaveLength(1)
    expect(session.of('run_done').at(-1)).toMatchObject({ outcome: 'done' })
    expect(session.text).toBe(PREAMBLE + ANSWER)
    expect(session.noted).toHaveLength(1)
    expect(stage.violations).toEqual([])
  })
})

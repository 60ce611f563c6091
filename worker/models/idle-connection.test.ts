// Servers close connections that were idle, and may do so just as one is used again: the request is lost
// before a byte of an answer. Other test servers keep theirs open; this one really closes them.

import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { closeServer } from '../testing/node/strict-server.ts'
import { SessionHarness } from '../testing/node/session-harness.ts'
import { resolveModels } from './resolve.ts'

const chunk = (delta: object, finish_reason: string | null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'idle',
    choices: [{ index: 0, delta, finish_reason }],
  })}\n\n`
const CHAT = `${chunk({ content: 'Here is the answer.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const MESSAGE = [
  event('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'idle',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('content_block_delta', {
    index: 0,
    delta: { type: 'text_delta', text: 'Here is the answer.' },
  }),
  event('content_block_stop', { index: 0 }),
  event('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 5 },
  }),
  event('message_stop', {}),
].join('')

/** Connections that have carried a request; whoever uses one again finds it closed. */
const used = new Set<Socket>()
let closedOnReuse = 0
let answered = 0

const server = createServer((request, response) => {
  const { socket } = request
  if (used.has(socket)) {
    closedOnReuse += 1
    socket.resetAndDestroy()
    return
  }
  used.add(socket)
  answered += 1
  request.resume().on('end', () => {
    const body = request.url?.endsWith('/messages') === true ? MESSAGE : CHAT
    response.setHeader('content-type', 'text/event-stream')
    response.end(body)
  })
})
server.keepAliveTimeout = 600_000

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => closeServer(server))

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((one) => one.type === type) as unknown as EventOf<T>[]

async function open(api: 'openai' | 'anthropic'): Promise<SessionHarness> {
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1`
  const settings =
    api === 'openai'
      ? { OPENAI_BASE_URL: url, OPENAI_MODEL: 'idle' }
      : { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_MODEL: 'idle' }
  const harness = new SessionHarness({
    models: resolveModels(settings),
    now: () => Date.now(),
    timers: {
      set: (ms, run) => setTimeout(run, Math.min(ms, 2)),
      clear: (handle) => clearTimeout(handle as NodeJS.Timeout),
    },
  })
  const input = { sessionId: 'session-0123456789', owner: 'owner', agent: 'parley' }
  await harness.core.create({ ...input, model: 'idle' })
  return harness
}

/** Sends, and resolves when the run that it started is over. */
async function send(harness: SessionHarness, text: string): Promise<void> {
  const socket = harness.connect()
  const ended = of(harness, 'run_done').length
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.onSend = () => {
    if (of(harness, 'run_done').length > ended) resolve()
  }
  harness.command({ type: 'send', text })
  await promise
  harness.core.subscribers.remove(socket)
}

describe('[RUN7] [BAK1] a connection that is closed for being idle just as it is used again', () => {
  for (const api of ['openai', 'anthropic'] as const) {
    test(`${api}: the request is made again on another, in sight, and answered`, async () => {
      const harness = await open(api)
      closedOnReuse = 0
      answered = 0
      const messages = 4
      for (let i = 0; i < messages; i++) await send(harness, `message ${i}`)
      expect(closedOnReuse).toBeGreaterThan(0)
      expect(answered).toBe(messages)
      expect(of(harness, 'run_done').map(({ outcome }) => outcome)).toEqual(
        Array.from({ length: messages }, () => 'done'),
      )
      expect(of(harness, 'text_done').map(({ text }) => text)).toEqual(
        Array.from({ length: messages }, () => 'Here is the answer.'),
      )
      const warnings = of(harness, 'warning').map(({ code }) => code)
      expect(warnings).toEqual(Array.from({ length: closedOnReuse }, () => 'model_retry'))
      expect(of(harness, 'model_fallback')).toEqual([])
    })
  }
})

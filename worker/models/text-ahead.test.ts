import { expect, test } from 'vitest'
import { readTextAhead } from './text-ahead.ts'

const encoder = new TextEncoder()

function bodyOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

const event = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [choice], ...more })}\n\n`
const say = (content: string): string => event({ delta: { content }, finish_reason: null })

async function read(stream: string, size = 1 << 20) {
  const taken: string[] = []
  const rest = readTextAhead(bodyOf(encoder.encode(stream), size), {
    addText: (kind, text) => taken.push(`${kind}:${text}`),
    addActivity: () => {},
  })
  return { taken, rest: await new Response(rest).text() }
}

const FINISH = event({ delta: {}, finish_reason: 'stop' })
const DONE = 'data: [DONE]\n\n'

test('takes the text and leaves the finish', async () => {
  const { taken, rest } = await read(
    event({ delta: { reasoning_content: 'hm' } }) + say('a') + say('b 🙂') + FINISH + DONE,
  )
  expect(taken).toEqual(['thinking:hm', 'text:a', 'text:b 🙂'])
  expect(rest.trimStart()).toBe(FINISH + DONE)
})

test.each([
  ['a tool call', event({ delta: { content: 'x', tool_calls: [{ index: 0 }] } })],
  ['a refusal', event({ delta: { refusal: 'no' } })],
  ['text with a finish', event({ delta: { content: 'x' }, finish_reason: 'length' })],
  ['text with usage', event({ delta: { content: 'x' } }, { usage: { prompt_tokens: 1 } })],
  ['an error', event({ delta: { content: 'x' } }, { error: { message: 'no' } })],
  ['content in parts', event({ delta: { content: [{ type: 'text', text: 'x' }] } })],
  ['a chunk without a delta', event({ message: { content: 'x' } })],
  ['a chunk without choices', 'data: {"object":"x"}\n\n'],
  ['something that is not JSON', 'data: {"a":\n\n'],
  ['JSON that is null', 'data: null\n\n'],
  ['a named event', `event: message\n${say('x')}`],
  ['an event over two lines', 'data: {"choices":\ndata: []}\n\n'],
])('leaves everything from %s on, later text too', async (_, other) => {
  const { taken, rest } = await read(say('first') + other + say('later'))
  expect(taken).toEqual(['text:first'])
  expect(rest.trimStart()).toBe(other + say('later'))
})

test('however the network cuts the bytes, the same is taken and the same is left', async () => {
  const stream = `${say('é🙂')}: comment\r\n\r\n${say('世界')}${event({ delta: { tool_calls: [{ x: '世🙂' }] } })}${DONE}`
  const whole = await read(stream)
  for (let size = 1; size < 40; size++) expect(await read(stream, size)).toEqual(whole)
})

test('a last line without its end is left, and an empty body is empty', async () => {
  expect(await read(say('a').trimEnd())).toEqual({ taken: [], rest: say('a').trimEnd() })
  expect(await read('')).toEqual({ taken: [], rest: '' })
})

test('text is handed on as soon as it is read', async () => {
  const pipe = new TransformStream<Uint8Array, Uint8Array>()
  const writer = pipe.writable.getWriter()
  const first = Promise.withResolvers<string>()
  const rest = readTextAhead(pipe.readable, {
    addText: (_, text) => first.resolve(text),
    addActivity: () => {},
  })
  const read = new Response(rest).text()
  await writer.write(encoder.encode(say('now')))
  expect(await first.promise).toBe('now')
  await writer.close()
  expect(await read).toBe('')
})

test('cancelling it cancels the body it reads', async () => {
  const cancelled = Promise.withResolvers<unknown>()
  const body = new ReadableStream<Uint8Array>({ cancel: (reason) => cancelled.resolve(reason) })
  await readTextAhead(body, { addText: () => {}, addActivity: () => {} }).cancel('enough')
  expect(await cancelled.promise).toBe('enough')
})

test('[RUN7] a chunk that is no text is a sign of life, and one that is needs none', async () => {
  const chunks = [say('a'), ': keep-alive\n\n', say('b').slice(0, 9), say('b').slice(9), FINISH]
  const seen: string[] = []
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk === undefined) controller.close()
      else controller.enqueue(encoder.encode(chunk))
    },
  })
  const sink = {
    addText: (_: string, text: string) => seen.push(text),
    addActivity: () => seen.push('*'),
  }
  await new Response(readTextAhead(body, sink)).text()
  expect(seen).toEqual(['a', '*', '*', 'b', '*'])
})

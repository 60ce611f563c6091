// Servers that are asked for a stream and answer with one JSON: proxies that cannot stream, and
// gateways that tell a failure with status 200. It becomes the one event of a stream.

import { malformed } from './errors.ts'
import { LINE_BYTES } from './line-length.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of a response that calls itself JSON. Some do, and stream all the same: those are left alone. */
export function readWholeAnswer(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const held: Uint8Array[] = []
  let bytesHeld = 0
  let isWhole: boolean | null = null
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        isWhole ??= beginsJson(bytes)
        if (isWhole === false) return controller.enqueue(bytes)
        bytesHeld += bytes.length
        if (bytesHeld > LINE_BYTES) throw malformed()
        held.push(bytes)
      },
      flush(controller) {
        if (isWhole !== true) return
        const decoder = new TextDecoder()
        const parts = held.map((bytes) => decoder.decode(bytes, { stream: true }))
        controller.enqueue(new TextEncoder().encode(toEvents(parts.join('') + decoder.decode())))
      },
    }),
  )
}

/** null: it is still blank. */
function beginsJson(bytes: Uint8Array): boolean | null {
  const first = bytes.find((byte) => byte > 0x20)
  if (first === undefined) return null
  return first === 0x7b || first === 0x5b // { or [
}

function toEvents(text: string): string {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return text
  }
  const [first] = Array.isArray(json) ? (json as unknown[]) : [json]
  if (!isObject(first)) return text
  const chunk = toDeltas(first) ?? first
  // What is not an answer says why there is none, and is told apart like any event that does.
  return `data: ${JSON.stringify(chunk)}\n\n${chunk === first ? '' : 'data: [DONE]\n\n'}`
}

/** A whole completion as one delta; null: it is something else. */
export function toDeltas(completion: Json): Json | null {
  const [choice] = Array.isArray(completion.choices) ? (completion.choices as unknown[]) : []
  if (!isObject(choice) || !isObject(choice.message) || choice.delta != null) return null
  const { message, finish_reason } = choice
  const { tool_calls: calls } = message
  const numbered = Array.isArray(calls)
    ? (calls as unknown[]).map((call, index) => (isObject(call) ? { index, ...call } : call))
    : calls
  const delta = { ...message, tool_calls: numbered }
  return { ...completion, choices: [{ index: 0, delta, finish_reason }] }
}

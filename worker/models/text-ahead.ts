// The provider package takes every server-sent event through five streams and a schema: about
// 200 µs of workerd's time for a delta that arrives alone, two thirds of what reading it costs.
// Nearly all events are one plain text delta, so those are read here, ahead of the package. It
// gets the stream from the first event on that is anything else: it alone knows calls, errors,
// usage and the ways in which servers differ.

import { LineLength } from './line-length.ts'

export type TextSink = {
  addText: (kind: 'text' | 'thinking', text: string) => void
  /** Bytes were read that are no text, or none yet. */
  addActivity: () => void
  /** What kind of server signs its chunks like this. */
  addFingerprint?: (fingerprint: unknown) => void
}

/** `body` without the text deltas it begins with; those go to `sink` as soon as they are read. */
export function readTextAhead(
  body: ReadableStream<Uint8Array>,
  sink: TextSink,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const line = new LineLength()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let held = ''
  let isAhead = true
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // One pull for all the text: a pull that enqueues nothing would not be followed by another.
      for (;;) {
        const { done, value } = await reader.read()
        if (value !== undefined) line.add(value)
        held += decoder.decode(value, { stream: !done })
        let hasText = false
        if (isAhead) {
          const at = takeText(held, sink)
          ;({ isAhead, hasText } = at)
          held = held.slice(at.end)
        }
        if (!hasText && !done) sink.addActivity()
        if ((!isAhead || done) && held !== '') {
          controller.enqueue(encoder.encode(held))
          held = ''
          if (!done) return
        }
        if (done) return controller.close()
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Reads whole lines until one is neither text nor filler. `end` is where the unread part begins. */
function takeText(
  lines: string,
  sink: TextSink,
): { end: number; isAhead: boolean; hasText: boolean } {
  let end = 0
  let hasText = false
  for (;;) {
    const newline = lines.indexOf('\n', end)
    if (newline === -1) return { end, isAhead: true, hasText }
    const last = lines.charCodeAt(newline - 1) === 0x0d ? newline - 1 : newline
    const isFiller = last <= end || lines.charCodeAt(end) === 0x3a // a blank line or a comment
    if (!isFiller) {
      const taken = lines.startsWith('data:', end)
        ? takeDelta(lines.slice(end + 5, last), sink)
        : 'other'
      if (taken === 'other') return { end, isAhead: false, hasText }
      hasText ||= taken === 'text'
    }
    end = newline + 1
  }
}

type Chunk = {
  system_fingerprint?: unknown
  error?: unknown
  usage?: unknown
  choices?: { finish_reason?: unknown; delta?: Record<string, unknown> }[]
}

/** `other`, and nothing taken, unless the event is text and nothing but text. */
function takeDelta(data: string, sink: TextSink): 'text' | 'nothing' | 'other' {
  let chunk: Chunk | null
  try {
    chunk = JSON.parse(data) as Chunk | null
  } catch {
    return 'other'
  }
  if (chunk?.system_fingerprint != null) sink.addFingerprint?.(chunk.system_fingerprint)
  if (chunk === null || chunk.error != null || chunk.usage != null) return 'other'
  // Azure opens with a chunk that has no choice and only says what it filtered.
  if (chunk.choices?.length === 0) return 'nothing'
  const choice = chunk.choices?.[0]
  const delta = choice?.delta
  if (delta == null || choice?.finish_reason != null) return 'other'
  // vLLM puts an empty list of calls into every chunk.
  const isEmptyList = Array.isArray(delta.tool_calls) && delta.tool_calls.length === 0
  if ((delta.tool_calls != null && !isEmptyList) || delta.refusal != null) return 'other'
  // OpenRouter and vLLM send both names, one of them empty.
  const thinking = delta.reasoning_content || delta.reasoning || ''
  const text = delta.content ?? ''
  if (typeof thinking !== 'string' || typeof text !== 'string') return 'other'
  if (thinking !== '') sink.addText('thinking', thinking)
  if (text !== '') sink.addText('text', text)
  return thinking === '' && text === '' ? 'nothing' : 'text'
}

// Turns a model's stream into rows and fragments. Rows are coalesced (one per DELTA_FLUSH_MS or
// DELTA_FLUSH_CHARS of a part); between rows, new text goes out as fragments at a bounded rate.
// Parts are strictly one after another: closing one before the next opens is what lets a replay
// leave out superseded deltas without moving anything.

import type { EventBody } from '#protocol/events'
import type { Fragment } from '#protocol/frames'
import {
  DELTA_FLUSH_CHARS,
  DELTA_FLUSH_MS,
  FRAGMENT_TICK_MS,
  TEXT_PART_BYTES,
} from '#protocol/limits'
import { cutPoint } from '#protocol/text'
import { LiveText } from './live-text.ts'
import { Timer, type Timers } from './timers.ts'

export type WriterSink = {
  /** Append to the log and send. Returns false when the run is over: nothing was written. */
  rows: (events: EventBody[]) => boolean
  fragments: (fragments: Fragment[]) => void
}

export class ResponseWriter {
  private readonly sink: WriterSink
  private readonly newPartId: () => string
  private readonly flushTimer: Timer
  private readonly tickTimer: Timer
  private readonly parts = new Map<string, LiveText>()
  private current: LiveText | null = null
  private responseId = ''
  private closed = false

  constructor(sink: WriterSink, timers: Timers, newPartId: () => string) {
    this.sink = sink
    this.newPartId = newPartId
    this.flushTimer = new Timer(timers, () => this.flush())
    this.tickTimer = new Timer(timers, () => this.tick())
  }

  beginStep(responseId: string): void {
    this.responseId = responseId
  }

  text(kind: 'text' | 'thinking', delta: string): void {
    for (const piece of pieces(delta)) {
      if (this.closed) return
      if (this.current?.kind !== kind || !this.current.hasRoomFor(piece)) this.openPart(kind)
      const part = this.current!
      part.push(piece)
      this.changed(part)
    }
  }

  /** A thought that is a `think` call's argument. */
  startThought(callId: string): void {
    if (!this.closed) this.openPart('thinking', callId)
  }

  /** Close the open text or thinking part, if there is one. */
  endPart(proof: { signature?: string; interrupted?: true } = {}): void {
    const part = this.current
    if (part === null || this.closed) return
    this.current = null
    this.parts.delete(part.id)
    const text = part.finish()
    if (part.kind === 'text' && text === '') return
    const type = part.kind === 'text' ? 'text_done' : 'thinking_done'
    this.sink.rows([{ type, responseId: part.responseId, partId: part.id, text, ...proof }])
    this.rest()
  }

  /** A thought is over and signed. Its words may be kept back: the provider wants it again all the same. */
  endThought(signature: string): void {
    if (this.closed) return
    if (this.current?.kind !== 'thinking') this.openPart('thinking')
    this.endPart({ signature })
  }

  /** The stream broke: what was said stays, and calls that were only announced will not come. */
  breakStep(): void {
    this.endPart({ interrupted: true })
    for (const [key, part] of this.parts) if (part.kind === 'tool_input') this.parts.delete(key)
    this.rest()
  }

  toolInput(callId: string, toolName: string, delta: string): void {
    if (this.closed) return
    this.endPart()
    this.pushTool('tool_input', callId, toolName, delta)
  }

  /** The call is complete: what streamed of its arguments is superseded by its event. */
  startTool(
    callId: string,
    toolName: string,
    args: string,
    proof: { signature?: string } = {},
  ): void {
    if (this.closed) return
    this.endPart()
    this.parts.delete(`tool_input:${callId}`)
    const call = { responseId: this.responseId, callId, toolName, arguments: args }
    this.sink.rows([{ type: 'tool_call_start', ...call, ...proof }])
    this.rest()
  }

  toolOutput(callId: string, delta: string, stream?: 'stdout' | 'stderr'): void {
    if (this.closed || delta === '') return
    this.pushTool('tool_output', callId, null, delta, stream ?? null)
  }

  /** The tool is done: its result supersedes what it streamed. Returns what it had put out. */
  endTool(callId: string): string {
    const part = this.parts.get(`tool_output:${callId}`)
    this.parts.delete(`tool_output:${callId}`)
    this.rest()
    return part?.finish() ?? ''
  }

  /** Text that is live now, for a socket that joins in mid-stream. */
  tail(): Fragment[] {
    return [...this.parts.values()]
      .filter((part) => part.visible > part.durable || part.kind === 'tool_input')
      .map((part) => part.fragment(part.durable))
  }

  /** Everything a settling cancel must keep: full text per part, gated or not. */
  openTexts(): { kind: LiveText['kind']; id: string; responseId: string; text: string }[] {
    return [...this.parts.values()].map((part) => ({
      kind: part.kind,
      id: part.id,
      responseId: part.responseId,
      text: part.finish(),
    }))
  }

  /** No event and no frame after this, and no timer left. */
  close(): void {
    this.closed = true
    this.parts.clear()
    this.current = null
    this.flushTimer.disarm()
    this.tickTimer.disarm()
  }

  private openPart(kind: 'text' | 'thinking', callId?: string): void {
    this.endPart()
    const part = new LiveText(kind, this.newPartId(), this.responseId)
    this.current = part
    this.parts.set(part.id, part)
    if (kind === 'text') return
    const start = { responseId: this.responseId, partId: part.id }
    this.sink.rows([
      { type: 'thinking_start', ...start, ...(callId === undefined ? {} : { callId }) },
    ])
  }

  private pushTool(
    kind: 'tool_input' | 'tool_output',
    callId: string,
    toolName: string | null,
    delta: string,
    stream: LiveText['stream'] = null,
  ): void {
    const key = `${kind}:${callId}`
    let part = this.parts.get(key)
    const isNew = part === undefined
    part ??= new LiveText(kind, callId, this.responseId, toolName)
    this.parts.set(key, part)
    // A row has one stream: what the other one said before goes out first.
    if (part.stream !== stream) this.flush()
    part.stream = stream
    // Arguments beyond what an event holds are refused when the call is complete.
    if (part.bytes < TEXT_PART_BYTES) part.push(delta)
    // The name alone is worth showing: preparing begins before the first argument.
    if (isNew && kind === 'tool_input' && !this.tickTimer.armed) {
      this.sink.fragments([part.fragment(0)])
      part.sent = part.visible
      this.tickTimer.arm(FRAGMENT_TICK_MS)
    }
    this.changed(part)
  }

  private changed(part: LiveText): void {
    if (part.visible <= part.sent && part.visible <= part.durable) return
    if (part.kind !== 'tool_input') {
      if (part.visible - part.durable >= DELTA_FLUSH_CHARS) return this.flush()
      this.flushTimer.arm(DELTA_FLUSH_MS)
    }
    if (!this.tickTimer.armed) this.sendFragments()
  }

  private tick(): void {
    for (const part of this.parts.values()) {
      if (part.visible > part.sent) return this.sendFragments()
    }
  }

  private sendFragments(): void {
    const fragments: Fragment[] = []
    for (const part of this.parts.values()) {
      if (part.visible <= part.sent) continue
      fragments.push(part.fragment(part.sent))
      part.sent = part.visible
    }
    if (fragments.length === 0) return
    this.sink.fragments(fragments)
    this.tickTimer.arm(FRAGMENT_TICK_MS)
  }

  private flush(): void {
    const rows: EventBody[] = []
    const flushed: LiveText[] = []
    for (const part of this.parts.values()) {
      if (part.kind === 'tool_input' || part.visible <= part.durable) continue
      rows.push(toDeltaRow(part))
      flushed.push(part)
    }
    this.flushTimer.disarm()
    if (rows.length === 0 || !this.sink.rows(rows)) return
    for (const part of flushed) part.durable = part.sent = part.visible
    // The row went out instead of this tick's fragment.
    this.tickTimer.disarm()
    this.tickTimer.arm(FRAGMENT_TICK_MS)
  }

  /** Nothing pending: leave no timer, or the object never hibernates. */
  private rest(): void {
    if (this.parts.size > 0) return
    this.flushTimer.disarm()
    this.tickTimer.disarm()
  }
}

/** Even if JSON escapes all of it, a piece fits into a part. */
const PIECE_CHARS = TEXT_PART_BYTES / 8

/** Some providers send a whole answer as one delta. */
function* pieces(delta: string): Generator<string> {
  for (let at = 0; at < delta.length;) {
    const end = at + PIECE_CHARS
    const cut = end >= delta.length ? delta.length : cutPoint(delta, end)
    yield delta.slice(at, cut)
    at = cut
  }
}

function toDeltaRow(part: LiveText): EventBody {
  const offset = part.durable
  const delta = part.text.slice(offset, part.visible)
  const { id, responseId } = part
  switch (part.kind) {
    case 'text':
      return { type: 'text_delta', responseId, partId: id, offset, delta }
    case 'thinking':
      return { type: 'thinking_delta', responseId, partId: id, offset, delta }
    default:
      return {
        type: 'tool_output_delta',
        callId: id,
        offset,
        delta,
        ...(part.stream === null ? {} : { stream: part.stream }),
      }
  }
}

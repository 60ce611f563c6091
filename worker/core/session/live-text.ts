// The text of one part while it streams: how much arrived, how much may be shown, how much is in
// the log, how much the sockets have.

import { TEXT_PART_BYTES } from '#protocol/limits'
import { jsonBytes } from '#protocol/text'
import type { Fragment, FragmentKind } from '#protocol/frames'
import { closedGate, passGate, type TextGate } from './text-gate.ts'

const HIGH_SURROGATE = /[\ud800-\udbff]$/

export class LiveText {
  readonly kind: FragmentKind
  readonly id: string
  readonly responseId: string
  readonly toolName: string | null
  stream: 'stdout' | 'stderr' | null = null
  text = ''
  /** May be shown: the gate has let it through. */
  visible = 0
  /** Is in the log. */
  durable = 0
  /** Is at the sockets, as a row or a fragment. */
  sent = 0
  /** Size inside a JSON string, so that the event that carries it stays within its limit. */
  bytes = 0
  private carry = ''
  private readonly gate: TextGate | null

  constructor(kind: FragmentKind, id: string, responseId: string, toolName: string | null = null) {
    this.kind = kind
    this.id = id
    this.responseId = responseId
    this.toolName = toolName
    this.gate = kind === 'text' ? closedGate() : null
  }

  /** Whether the part's own event, with all its text, would still be within its limit. */
  hasRoomFor(delta: string): boolean {
    // Escapes make six bytes of a unit at most: counting is only worth it near the end.
    if (this.bytes + delta.length * 6 <= TEXT_PART_BYTES) return true
    return this.bytes + jsonBytes(delta) <= TEXT_PART_BYTES
  }

  push(delta: string): void {
    let chunk = this.carry + delta
    this.carry = ''
    // A pair that the provider cut in two: keep the first half until the second is here.
    if (HIGH_SURROGATE.test(chunk)) {
      this.carry = chunk.slice(-1)
      chunk = chunk.slice(0, -1)
    }
    this.add(chunk)
    if (chunk !== '' && (this.gate === null || passGate(this.gate, chunk))) {
      this.visible = this.text.length
    }
  }

  /** The part is over: everything counts. */
  finish(): string {
    this.add(this.carry)
    this.carry = ''
    this.visible = this.text.length
    return this.text
  }

  private add(chunk: string): void {
    if (chunk === '') return
    const wellFormed = chunk.toWellFormed()
    this.text += wellFormed
    this.bytes += jsonBytes(wellFormed)
  }

  /** What may be shown from `from` on. */
  fragment(from: number): Fragment {
    const isTool = this.kind === 'tool_input' || this.kind === 'tool_output'
    return {
      responseId: this.responseId,
      ...(isTool ? { callId: this.id } : { partId: this.id }),
      kind: this.kind,
      ...(this.toolName === null ? {} : { toolName: this.toolName }),
      offset: from,
      text: this.text.slice(from, this.visible),
    }
  }
}

// A reply as a script of steps, and the playing of it over an HTTP response.

import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

export type WireUsage = {
  prompt_tokens: number
  completion_tokens: number
  prompt_tokens_details?: { cached_tokens: number }
}

export type ReplyStep =
  | { text: string }
  | { reasoning: string }
  /** A thought that only the provider can read; servers without such a thing leave it out. */
  | { redacted: string }
  | { toolCall: WireToolCall }
  /** Holds the reply until the test releases the gate of this name. */
  | { gate: string }
  | { delayMs: number }
  /** `usage: null` sends none, as many compatible servers do. */
  | { finish: string; usage?: WireUsage | null }
  /** An HTTP error; only as the first step. A string body is sent as it is. */
  | { status: number; body?: unknown; headers?: Record<string, string> }
  /** An error in the middle of the stream. */
  | { error: { type: string; message: string } }
  /** A sign of life that says nothing. */
  | { ping: true }
  /** Never answers again; the client has to give up. */
  | { hang: true }
  /** Destroys the socket. */
  | { cut: true }
  /** Bytes as they are, for malformed streams. */
  | { raw: string }
  /** Many text deltas: as fast as the client reads, or at a fixed rate. */
  | Repeat

/** `chunks`: in how many pieces the arguments arrive. `index` is the place among parallel calls. */
export type WireToolCall = {
  id: string
  name: string
  arguments: string
  chunks?: number
  index?: number
  /** Gemini's, as it comes through chat completions. */
  signature?: string
}

export type Repeat = {
  repeat: number
  text: string | ((index: number) => string)
  perSecond?: number
}

export type Reply = readonly ReplyStep[]

/** One reply's words in a provider's format. Each piece is a write of its own. */
export interface Wire {
  text: (text: string) => string
  reasoning: (text: string) => string
  redacted: (data: string) => string
  toolCall: (call: WireToolCall) => string[]
  finish: (reason: string, usage: WireUsage | null) => string[]
  error: (error: { type: string; message: string }) => string
  ping: () => string
}

export const DEFAULT_USAGE: WireUsage = { prompt_tokens: 12, completion_tokens: 7 }
/** Deltas in one write at full speed: the socket, not this server, has to be the bottleneck. */
const BATCH = 64
const RATE_TICK_MS = 4

type Surroundings = {
  gate: (name: string) => { reach: () => void; opened: Promise<void> }
  countAbort: () => void
}

/** Arguments in as many pieces as the script asks for. */
export function toPieces({ arguments: text, chunks = 1 }: WireToolCall): string[] {
  const size = Math.max(1, Math.ceil(text.length / chunks))
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}

/** Stops by itself when the client is gone. */
export class ReplyPlayer {
  private readonly wire: Wire
  private readonly response: ServerResponse
  private readonly around: Surroundings
  private readonly gone: Promise<void>
  private isOver = false

  constructor(wire: Wire, response: ServerResponse, around: Surroundings) {
    this.wire = wire
    this.response = response
    this.around = around
    this.gone = new Promise((resolve) => {
      response.once('close', () => {
        // `close` also follows an ordinary end and our own cut.
        if (!response.writableEnded && !this.isOver) around.countAbort()
        this.isOver = true
        resolve()
      })
    })
  }

  async play(reply: Reply): Promise<void> {
    for (const step of reply) {
      if (this.isOver) return
      await this.playStep(step)
    }
    this.response.end()
  }

  private async playStep(step: ReplyStep): Promise<void> {
    const { wire } = this
    if ('repeat' in step) return this.repeat(step)
    if ('text' in step) return this.write(wire.text(step.text))
    if ('reasoning' in step) return this.write(wire.reasoning(step.reasoning))
    if ('redacted' in step) return this.write(wire.redacted(step.redacted))
    if ('toolCall' in step) return this.writeAll(wire.toolCall(step.toolCall))
    if ('finish' in step) {
      return this.writeAll(wire.finish(step.finish, usageOf(step)))
    }
    if ('error' in step) return this.write(wire.error(step.error))
    if ('ping' in step) return this.write(wire.ping())
    if ('raw' in step) return this.write(step.raw)
    if ('delayMs' in step) return this.race(wait(step.delayMs))
    if ('gate' in step) {
      const gate = this.around.gate(step.gate)
      this.open()
      gate.reach()
      return this.race(gate.opened)
    }
    if ('hang' in step) {
      this.open()
      return this.gone
    }
    if ('status' in step) throw new Error('a status can only be the first step of a reply')
    this.isOver = true
    this.response.destroy()
  }

  private race(until: Promise<void>): Promise<void> {
    return Promise.race([until, this.gone])
  }

  private async repeat({ repeat, text, perSecond }: Repeat): Promise<void> {
    const encode = (from: number, to: number): string => {
      let out = ''
      for (let i = from; i < to; i++)
        out += this.wire.text(typeof text === 'string' ? text : text(i))
      return out
    }
    const startedAt = performance.now()
    for (let sent = 0; sent < repeat && !this.isOver;) {
      const due =
        perSecond === undefined
          ? sent + BATCH
          : Math.floor(((performance.now() - startedAt) * perSecond) / 1000)
      const to = Math.min(repeat, due)
      if (to > sent) await this.write(encode(sent, to))
      else await this.race(wait(RATE_TICK_MS))
      sent = Math.max(sent, to)
    }
  }

  private open(): void {
    if (this.response.headersSent) return
    this.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    })
    this.response.flushHeaders()
  }

  private async writeAll(pieces: readonly string[]): Promise<void> {
    for (const piece of pieces) await this.write(piece)
  }

  /** Waits for a slow reader, so that full speed is the client's speed. */
  private async write(text: string): Promise<void> {
    this.open()
    if (this.isOver || text === '' || this.response.write(text)) return
    await this.race(new Promise((resolve) => this.response.once('drain', resolve)))
  }
}

const usageOf = ({ usage }: { usage?: WireUsage | null }): WireUsage | null =>
  usage === undefined ? DEFAULT_USAGE : usage

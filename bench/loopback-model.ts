// The model that benchmarks talk to: chat completions on the loopback, in this process, so that
// model and client share a clock. It is told beforehand what it will answer to which message.
// Unlike the one of the tests it writes every delta by itself, as real models do: a server that
// gets sixty-four of them in one read looks ten times as fast as it is.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { findViolation, type ChatBody } from '../worker/testing/node/strict-openai-rules.ts'

export const MODEL_ID = 'loopback'

/** Writes deltas, all of one call at once; resolves when the reader can take more. */
export type WriteDeltas = (...texts: string[]) => Promise<void>
/** What is said between the opening of a reply and its finish. */
export type Reply = (write: WriteDeltas) => Promise<void>

/** One answer of the model: words, or calls, all at once. */
export type Step = Reply | readonly ToolCall[]
export type ToolCall = { name: string; input: object }
/** When the model was asked for a step, and when it had said all of it. */
export type Moment = { askedAt: number; saidAt: number }
type Planned = { steps: Step[]; moments: Moment[] }

const KEEP_ALIVE_MS = 600_000

export class LoopbackModel {
  readonly url: string
  private readonly server: Server
  private readonly planned = new Map<string, Planned>()
  private messages = 0
  private refusal: string | null = null

  private constructor(server: Server) {
    this.server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    server.on('request', (request, response) => {
      void this.serve(request, response).catch((error: unknown) => {
        this.refusal ??= String(error)
        response.destroy()
      })
    })
  }

  static async start(): Promise<LoopbackModel> {
    const server = createServer()
    // A connection that is closed for being idle just as it is used again is a failed run.
    server.keepAliveTimeout = KEEP_ALIVE_MS
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new LoopbackModel(server)
  }

  /** The message that will be answered with this reply, once. */
  plan(reply: Reply): string {
    return this.planRun([reply]).message
  }

  /** The message whose run takes these steps, each after the results of the one before. */
  planRun(steps: readonly Step[]): { message: string; moments: readonly Moment[] } {
    const message = `Message ${++this.messages}`
    const moments: Moment[] = []
    this.planned.set(message, { steps: [...steps], moments })
    return { message, moments }
  }

  /** What the server asked must be what a real provider accepts, or the numbers mean nothing. */
  requireNoRefusal(): void {
    if (this.refusal !== null) throw new Error(`the model was asked wrongly: ${this.refusal}`)
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await readText(request)) as ChatBody
    const askedAt = performance.now()
    const message = lastMessage(body)
    const planned = this.planned.get(message)
    const step = planned?.steps.shift()
    const refusal = findViolation(body)?.message ?? (step ? null : `what is "${message}"?`)
    if (refusal !== null || step === undefined || planned === undefined) {
      this.refusal ??= refusal
      response.writeHead(400).end()
      return
    }
    if (planned.steps.length === 0) this.planned.delete(message)
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    // The real API opens every reply with an empty delta that carries the role.
    await writeOut(response, toChunk({ role: 'assistant', content: '' }))
    const reason = await playStep(response, step)
    planned.moments.push({ askedAt, saidAt: performance.now() })
    response.end(`${toChunk({}, reason)}${USAGE}data: [DONE]\n\n`)
  }
}

async function playStep(response: ServerResponse, step: Step): Promise<'stop' | 'tool_calls'> {
  if (typeof step === 'function') {
    await step((...texts) =>
      writeOut(response, texts.map((content) => toChunk({ content })).join('')),
    )
    return 'stop'
  }
  await writeOut(response, toChunk({ tool_calls: step.map(toWireCall) }))
  return 'tool_calls'
}

const toWireCall = ({ name, input }: ToolCall, index: number): object => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})

function lastMessage(body: ChatBody): string {
  const content = body.messages.findLast(({ role }) => role === 'user')?.content ?? ''
  const said =
    typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')
  // What another agent wrote stands below a line that says so.
  return said.slice(said.lastIndexOf('\n') + 1)
}

/** Node gathers what is written in one turn of its loop; a turn later it is on the wire. */
async function writeOut(response: ServerResponse, text: string): Promise<void> {
  if (response.write(text) || response.destroyed) return nextTurn()
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}

const ENVELOPE =
  '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"loopback"'

const toChunk = (delta: object, reason: string | null = null): string =>
  `data: {${ENVELOPE},"choices":[${JSON.stringify({ index: 0, delta, finish_reason: reason })}]}\n\n`

const USAGE = `data: {${ENVELOPE},"choices":[],"usage":${JSON.stringify({
  prompt_tokens: 12,
  completion_tokens: 7,
  total_tokens: 19,
})}}\n\n`

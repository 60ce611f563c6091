// Random logs as a session would write them, from a seed.

import type { EventBody, SessionEvent } from '#protocol/events'
import { toResponseId, toRunId } from '#protocol/ids'
import { deltaPartOf, openPartIds } from '#protocol/live'
import { applyEvent, fold } from '#protocol/reduce'
import { EMPTY_STATE, type SessionState } from '#protocol/state'

export const SESSION_ID = 'session-of-tests'

export type Random = {
  /** 0 … n - 1 */
  below: (n: number) => number
  chance: (probability: number) => boolean
  word: () => string
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const below = (n: number): number => Math.floor(next() * n)
  return {
    below,
    chance: (probability) => next() < probability,
    word: () => ['alpha ', 'βήτα ', '漢字', '🙂 ', 'line\n', 'x'][below(6)]!,
  }
}

/** A log in the making: every event follows from the state before it. */
export class LogWriter {
  readonly events: SessionEvent[] = []
  state: SessionState = EMPTY_STATE
  readonly #random: Random
  #ids = 0

  constructor(random: Random) {
    this.#random = random
    this.add({ type: 'session_created', sessionId: SESSION_ID, agent: 'assistant', model: 'demo' })
  }

  add(body: EventBody): SessionEvent {
    const seq = this.state.seq + 1
    const event: SessionEvent = { ...body, seq, at: 1000 + seq }
    this.events.push(event)
    this.state = applyEvent(this.state, event)
    return event
  }

  newId(prefix: string): string {
    return `${prefix}${++this.#ids}`
  }

  message(delivery: 'queue' | 'steer' = 'queue', messageId = this.newId('m')): void {
    const text = this.#random.word()
    this.add({ type: 'user_message', messageId, text, attachments: [], delivery })
  }

  /** Something small that happens between the runs. */
  aside(): void {
    const { below } = this.#random
    switch (below(3)) {
      case 0:
        return void this.add({ type: 'warning', code: 'no_tools', message: 'no tools here' })
      case 1:
        return void this.add({ type: 'session_configured', changes: { model: `m${below(9)}` } })
      default:
        return void this.add({ type: 'queue_updated', items: [], held: false })
    }
  }

  startRun(): string {
    const runId = toRunId(SESSION_ID, this.state.seq + 1)
    const { model, agent } = this.state.session
    const responseId = toResponseId(runId, 1)
    this.add({ type: 'run_started', runId, responseId, model, agent, attempt: 1 })
    return runId
  }

  /** One step of the run: thinking, text, tools, and what may come between. */
  step(): void {
    const { run } = this.state
    if (run.status !== 'running') return
    const { responseId, runId } = run
    const { chance, below } = this.#random
    if (chance(0.3)) this.#part('thinking', responseId)
    if (chance(0.8)) this.#part('text', responseId)
    if (chance(0.1)) this.add({ type: 'warning', runId, code: 'slow', message: 'slow' })
    for (let calls = chance(0.4) ? 1 + below(2) : 0; calls > 0; calls--) this.#tool(responseId)
    if (chance(0.15)) {
      const { model, agent, attempt } = run
      this.add({ type: 'run_started', runId, responseId, model, agent, attempt: attempt + 1 })
    }
    if (chance(0.2)) this.message('steer')
  }

  endRun(): void {
    const { run } = this.state
    if (run.status !== 'running') return
    const { runId, responseId } = run
    const isCancelled = this.#random.chance(0.2)
    if (isCancelled) {
      this.add({ type: 'output_cancelled', runId, responseId, by: 'owner', reason: 'user' })
    }
    this.add({
      type: 'run_done',
      runId,
      outcome: isCancelled ? 'cancelled' : 'done',
      stopReason: 'stop',
      usage: { inputTokens: 3, outputTokens: 5, cachedTokens: 0 },
      durationMs: 7,
    })
  }

  /** Text up to its last delta, without its end. */
  openPart(kind: 'text' | 'thinking', responseId: string): { partId: string; text: string } {
    const { below, word } = this.#random
    const partId = this.newId('p')
    if (kind === 'thinking') this.add({ type: 'thinking_start', responseId, partId })
    let text = ''
    for (let deltas = below(4); deltas > 0; deltas--) {
      const delta = word()
      this.add({ type: `${kind}_delta`, responseId, partId, offset: text.length, delta })
      text += delta
    }
    return { partId, text }
  }

  #part(kind: 'text' | 'thinking', responseId: string): void {
    const { partId, text } = this.openPart(kind, responseId)
    this.add({ type: `${kind}_done`, responseId, partId, text: `${text}.` })
  }

  #tool(responseId: string): void {
    const callId = this.newId('c')
    const toolName = 'countdown'
    this.add({ type: 'tool_call_start', responseId, callId, toolName, arguments: '{"from":3}' })
    if (this.#random.chance(0.5)) {
      this.add({ type: 'tool_output_delta', callId, offset: 0, delta: '3\n' })
    }
    this.add({ type: 'tool_result', callId, toolName, ok: true, result: '0', durationMs: 1 })
  }
}

/** A log of about `size` events. Ends in the middle of a run about every second time. */
export function randomLog(random: Random, size: number, clears = true): LogWriter {
  const log = new LogWriter(random)
  while (log.events.length < size) {
    if (clears && random.chance(0.03)) log.add({ type: 'session_cleared', by: 'owner' })
    if (random.chance(0.3)) log.aside()
    log.message()
    log.startRun()
    for (let steps = 1 + random.below(4); steps > 0; steps--) log.step()
    if (log.events.length < size || random.chance(0.5)) log.endRun()
    else if (log.state.run.status === 'running') log.openPart('text', log.state.run.responseId)
  }
  return log
}

/** As a replay or a page leaves it: without the deltas of parts that are complete by now. */
export function withoutSuperseded(events: readonly SessionEvent[]): SessionEvent[] {
  const open = new Set(openPartIds(fold(events).open))
  return events.filter((event) => {
    const part = deltaPartOf(event)
    return part === null || open.has(part)
  })
}

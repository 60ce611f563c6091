// A log as a test writes it: one line for each thing that happens, places and times by themselves.

import type { EventBody, EventOf, Outcome, SessionEvent } from '#protocol/events'
import type { DecisionStatus } from '#protocol/decision-events'
import { toDecisionId, toQuestionId, toResponseId, toRunId } from '#protocol/ids'
import { fold } from '#protocol/reduce'
import type { SessionState } from '#protocol/state'
import { NO_USAGE } from '#protocol/usage'

export const WRITTEN_ID = 'session-0123456789'
/** Of the first event; each is a second after the one before. */
export const WRITTEN_AT = Date.UTC(2026, 0, 1)

type FailCode = 'tool_error' | 'tool_interrupted' | 'tool_denied'

export class WrittenLog {
  readonly events: SessionEvent[] = []
  private parts = 0
  private messages = 0
  private runId = ''
  private responses = 1
  private attempt = 1

  constructor() {
    this.add({ type: 'session_created', sessionId: WRITTEN_ID, agent: 'parley', model: 'scripted' })
  }

  get seq(): number {
    return this.events.length
  }

  get state(): SessionState {
    return fold(this.events)
  }

  get responseId(): string {
    return toResponseId(this.runId, this.responses)
  }

  add(...bodies: EventBody[]): this {
    for (const body of bodies) {
      const seq = this.seq + 1
      this.events.push({ ...body, seq, at: WRITTEN_AT + this.seq * 1000 })
    }
    return this
  }

  user(text: string, more: Partial<EventOf<'user_message'>> = {}): this {
    const messageId = `m${++this.messages}`
    return this.add({
      type: 'user_message',
      messageId,
      text,
      attachments: [],
      delivery: 'queue',
      ...more,
    })
  }

  run(kind: 'answer' | 'compact' = 'answer'): this {
    this.runId = toRunId(WRITTEN_ID, this.seq + 1)
    this.responses = 1
    this.attempt = 1
    return this.start(kind)
  }

  /** The object died and goes on with the same run. */
  again(): this {
    this.attempt += 1
    return this.start('answer')
  }

  /** A message that enters the run: what follows is another response where this one has parts. */
  steer(text: string): this {
    const { open } = this.state
    if (open !== null && open.parts.length > 0) this.responses += 1
    return this.user(text, { delivery: 'steer' })
  }

  /** First as a delta, as it would come; `state: 'open'`: only that. */
  text(text: string, state: 'done' | 'interrupted' | 'open' = 'done'): this {
    return this.write('text', this.newPart(), text, state)
  }

  /** `callId`: it is the argument of a `think` call. */
  think(text: string, callId?: string, state: 'done' | 'interrupted' | 'open' = 'done'): this {
    const partId = this.newPart()
    const { responseId } = this
    const call = callId === undefined ? {} : { callId }
    this.add({ type: 'thinking_start', responseId, partId, ...call })
    return this.write('thinking', partId, text, state)
  }

  call(callId: string, toolName = 'get_weather', args = '{"city":"Paris"}'): this {
    const { responseId } = this
    return this.add({ type: 'tool_call_start', responseId, callId, toolName, arguments: args })
  }

  result(callId: string, result = 'fine'): this {
    return this.add({ type: 'tool_result', callId, toolName: '', ok: true, result, durationMs: 5 })
  }

  fail(callId: string, code: FailCode, message: string = code): this {
    const error = { code, message }
    return this.add({ type: 'tool_result', callId, toolName: '', ok: false, error, durationMs: 5 })
  }

  ask(callId: string): this {
    const decisionId = toDecisionId(WRITTEN_ID, this.seq + 1)
    const what = { kind: 'command', severity: 'high', command: 'rm -rf build' } as const
    return this.add({
      type: 'decision_requested',
      decisionId,
      callId,
      ...what,
      reason: 'it deletes',
    })
  }

  decide(callId: string, status: DecisionStatus, reason?: string): this {
    const asked = this.state.decisions.find((decision) => decision.callId === callId)
    return this.add({
      type: 'decision_resolved',
      ...(asked === undefined ? { auto: true } : { decisionId: asked.decisionId }),
      callId,
      kind: 'command',
      status,
      by: asked === undefined ? 'policy' : 'owner',
      severity: 'high',
      scope: 'once',
      ...(reason === undefined ? {} : { reason }),
    })
  }

  question(callId: string): this {
    const questions = [{ id: 'q', text: 'Which?', options: ['a', 'b'] }]
    const questionId = toQuestionId(WRITTEN_ID, this.seq + 1)
    return this.add({ type: 'ask_user', questionId, callId, questions })
  }

  /** The provider has ended its answer; calls begin to run. */
  endStep(): this {
    const { runId } = this
    const size = { messages: 1, tokens: 1, window: 1000, compacted: false, estimate: 1 }
    return this.add({ type: 'context_usage', runId, ...size })
  }

  retry(): this {
    return this.add({
      type: 'warning',
      runId: this.runId,
      code: 'model_retry',
      message: 'Trying again.',
    })
  }

  done(outcome: Outcome = 'done'): this {
    const { runId } = this
    return this.add({
      type: 'run_done',
      runId,
      outcome,
      stopReason: outcome,
      usage: NO_USAGE,
      durationMs: 9,
    })
  }

  clear(): this {
    return this.add({ type: 'session_cleared', by: 'owner' })
  }

  private start(kind: 'answer' | 'compact'): this {
    const { runId, attempt, responseId } = this
    const who = { model: 'scripted', agent: 'parley' }
    return this.add({
      type: 'run_started',
      runId,
      responseId,
      ...who,
      attempt,
      ...(kind === 'compact' ? { kind } : {}),
    })
  }

  private write(
    kind: 'text' | 'thinking',
    partId: string,
    text: string,
    state: 'done' | 'interrupted' | 'open',
  ): this {
    const { responseId } = this
    const place = { responseId, partId }
    this.add({ type: `${kind}_delta`, ...place, offset: 0, delta: text })
    if (state === 'open') return this
    const mark = state === 'interrupted' ? { interrupted: true } : {}
    return this.add({ type: `${kind}_done`, ...place, text, ...mark })
  }

  private readonly newPart = (): string => `p${++this.parts}`
}

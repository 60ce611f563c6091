// What people and time change in a session: state and command in, events and effects out. Pure, so
// that "stop means stopped" is a property of a function and not of timing. The reports of a run are
// decided in decide-report, letters of other sessions in decide-letter.

import type { Command, CommandOf } from '#protocol/commands'
import type { RecordReason } from '#protocol/agent-events'
import type { Mode, QueueItem } from '#protocol/events'
import type { Rejection } from '#protocol/http'
import { EVENT_BYTES } from '#protocol/limits'
import { missionDueAt } from '#protocol/mission-schedule'
import type { OpenExchange, SessionState } from '#protocol/state'
import { utf8Bytes } from '#protocol/text'
import { findPatternProblem } from '../policy/sensitive.ts'
import { changeItems, fitsQueue, toQueueUpdate, type QueueChange } from './queue.ts'
import { steeredTo, toAddressee } from './addressee.ts'
import { expireDecision, expireQuestion, takeAnswer, takeDecision, type Taken } from './answers.ts'
import type { Accepted, Decision, DecideContext } from './decide-types.ts'
import { answerWithdrawn, recordQueued, withdrawExchanges } from './exchanges.ts'
import { recordFileCommand, type FileCommand } from './file-commands.ts'
import {
  addIdlePrompt,
  changeMission,
  findPromptProblem,
  setOverride,
  type MissionCommand,
} from './missions.ts'
import { Plan, queueFull, refuse } from './plan.ts'

export function decide(state: SessionState, command: Command, context: DecideContext): Decision {
  const plan = new CommandPlan(state, context)
  switch (command.type) {
    case 'send':
      return plan.send(command)
    case 'cancel':
      return plan.cancel(command)
    case 'continue':
      return plan.continue()
    case 'queue_edit':
    case 'queue_remove':
    case 'queue_move':
      return plan.changeQueue(command)
    case 'queue_send_now':
      return plan.sendNow(command)
    case 'configure':
      return plan.configure(command)
    case 'decide':
      return plan.decide(command)
    case 'answer':
      return plan.answer(command)
    case 'rule_remove':
      return plan.removeRule(command.ruleId)
    case 'keep':
    case 'undo':
    case 'redo':
    case 'restore':
      return plan.changeFiles(command)
    case 'mission_set':
    case 'mission_clear':
    case 'mission_pause':
    case 'mission_resume':
      return plan.changeMission(command)
    case 'mission_prompt':
      return plan.promptNow()
    case 'override_set':
      return plan.setOverride(command)
    case 'clear':
      return plan.clear()
    case 'compact':
      return plan.compact()
  }
}

/** Decisions and questions that nobody has answered in time. null: there are none. */
export function decideExpiry(state: SessionState, context: DecideContext): Accepted | null {
  const isLate = ({ expiresAt }: { expiresAt?: number }): boolean =>
    expiresAt !== undefined && expiresAt <= context.now
  const late = {
    decisions: state.decisions.filter(isLate),
    questions: state.questions.filter(isLate),
  }
  if (late.decisions.length + late.questions.length === 0) return null
  return new CommandPlan(state, context).expire(late)
}

/** The schedule of a mission has come round. null: it has not, or nothing may start by itself. */
export function decideIdlePrompt(state: SessionState, context: DecideContext): Accepted | null {
  const dueAt = missionDueAt(state)
  return dueAt === null || dueAt > context.now ? null : new CommandPlan(state, context).prompt()
}

class CommandPlan extends Plan {
  send(command: CommandOf<'send'>): Decision {
    const { text, to, attachments = [], delivery = 'queue', id } = command
    const { assist, models } = this.context
    const agent = assist?.type === 'agent' ? assist.agent : null
    if (to !== undefined && agent === null) {
      return refuse('unknown_agent', `to: there is no agent ${to}`)
    }
    const { state } = this.draft
    const addressee =
      to !== undefined && agent !== null
        ? toAddressee(to, agent, state, models)
        : steeredTo({ delivery }, state.run)
    const item: QueueItem = {
      itemId: id,
      text,
      delivery,
      from: this.context.by,
      ...(to === undefined ? {} : { to }),
      ...(addressee === undefined ? {} : { addressee }),
      ...(attachments.length === 0 ? {} : { attachments }),
    }
    if (utf8Bytes(JSON.stringify(item)) > EVENT_BYTES - 1024) {
      return refuse('too_large', 'text: the message with its attachments is too large')
    }
    if (this.draft.state.run.status === 'running') {
      // A person who writes has seen what is held.
      if (delivery !== 'interrupt') return this.enqueue(item, 'none')
      this.endCancelled('interrupt')
    }
    this.setQueue(this.draft.state.queue.items, 'none')
    const seq = this.deliver(item)
    return this.accept({ seq, queued: false, runId: this.startRun() })
  }

  cancel(command: CommandOf<'cancel'>): Decision {
    const { run, lastRun } = this.draft.state
    const { runId, audioTruncatedAtMs } = command
    if (run.status === 'running' && (runId === undefined || runId === run.runId)) {
      const seq = this.endCancelled(this.context.reason, audioTruncatedAtMs)
      this.holdQueue()
      return this.accept({ seq })
    }
    if (runId === undefined) return this.accept({ seq: lastRun?.seq ?? null })
    const seq = lastRun?.runId === runId ? lastRun.seq : this.context.terminalSeqOf(runId)
    if (seq === null) return refuse('no_such_run', `no run ${runId} here`)
    // It has ended; what it asked for and did not wait for has not.
    const left = this.draft.state.exchanges.filter((open) => open.runId === runId)
    this.withdrawAll(
      left.filter(({ cancelled }) => cancelled !== true),
      'withdrawn',
    )
    return this.accept({ seq })
  }

  private withdrawAll(exchanges: readonly OpenExchange[], because: RecordReason): void {
    if (exchanges.length === 0) return
    const ids = new Set(exchanges.map(({ exchangeId }) => exchangeId))
    const { items } = this.draft.state.queue
    withdrawExchanges(this.draft, exchanges, because)
    if (items.some(({ itemId }) => ids.has(itemId))) {
      this.setQueue(items.filter(({ itemId }) => !ids.has(itemId)))
    }
  }

  continue(): Decision {
    const { run, session, queue, lastRun } = this.draft.state
    if (run.status === 'running') return refuse('run_active', 'a run is active')
    if (session.messages === 0) {
      // A cleared session may still hold a queue: going on is going on with that.
      if (queue.items.length === 0) return refuse('nothing_to_continue', 'there is no message yet')
      this.takeNext()
      return this.accept({ runId: this.startRun() })
    }
    this.setQueue(queue.items, 'none')
    // Whoever was interrupted goes on.
    return this.accept({ runId: this.startRun('answer', {}, lastRun?.addressee) })
  }

  changeQueue(command: QueueChange): Decision {
    const { items } = this.draft.state.queue
    const next = changeItems(items, command)
    if (!next.ok) return noSuchItem(next.missing)
    if (!fitsQueue(next.items)) return queueFull()
    const item = items.find(({ itemId }) => itemId === command.itemId)
    if (command.type === 'queue_edit' && item?.callback !== undefined) {
      return refuse('bad_request', 'itemId: the answer of an agent cannot be edited')
    }
    if (command.type === 'queue_remove' && item !== undefined) this.withdraw(item)
    const seq = this.draft.add(toQueueUpdate(next.items, this.hold))
    return this.accept({ seq })
  }

  /** Another agent's message or answer that nobody is to read: that it was there is said. */
  private withdraw(item: QueueItem): void {
    answerWithdrawn(this.draft, item, 'The person there took the message back before it was read.')
    recordQueued(this.draft, item, 'withdrawn')
  }

  sendNow(command: CommandOf<'queue_send_now'>): Decision {
    const { items } = this.draft.state.queue
    const item = items.find((queued) => queued.itemId === command.itemId)
    if (item === undefined) return noSuchItem(command.itemId)
    const others = (): QueueItem[] => this.draft.state.queue.items.filter((one) => one !== item)
    if (this.draft.state.run.status === 'running') {
      // Taken out first: an answer to the run that ends here would be put on record with it.
      if (item.callback !== undefined) this.setQueue(others())
      this.endCancelled('interrupt')
    }
    this.setQueue(others(), 'none')
    const seq = this.deliver({ ...item, delivery: 'interrupt' })
    return this.accept({ seq, runId: this.startRun() })
  }

  configure({ type: _type, id: _id, ...changes }: CommandOf<'configure'>): Decision {
    const fields = Object.entries(changes).filter(([, value]) => value !== undefined)
    if (fields.length === 0) return refuse('bad_request', 'body: nothing to configure')
    const { assist } = this.context
    if (assist?.type === 'agent' && assist.agent === null) {
      return refuse('unknown_agent', `agent: there is no agent ${changes.agent}`)
    }
    if (changes.model !== undefined && !this.context.models.includes(changes.model)) {
      return refuse('unknown_model', `model: ${changes.model} is not one of the models here`)
    }
    for (const [index, pattern] of (changes.sensitivePatterns ?? []).entries()) {
      const problem = findPatternProblem(pattern)
      if (problem !== null) return refuse('bad_request', `sensitivePatterns.${index}: ${problem}`)
    }
    const seq = this.draft.add({
      type: 'session_configured',
      changes: { ...this.modeOf(changes.agent), ...Object.fromEntries(fields) },
    })
    return this.accept({ seq })
  }

  /** Another agent brings the mode that this session has set for it. */
  private modeOf(agent: string | undefined): { mode?: Mode } {
    const own = this.draft.state.overrides.find(({ agentId }) => agentId === agent)
    const mode = own?.override.mode
    return mode === undefined ? {} : { mode }
  }

  clear(): Decision {
    if (this.draft.state.run.status === 'running') {
      this.endCancelled(this.context.reason)
      this.holdQueue()
    }
    // An answer that came later would be all that the agent knows of.
    this.withdrawAll(this.draft.state.exchanges, 'cleared')
    return this.accept({ seq: this.draft.add({ type: 'session_cleared', by: this.context.by }) })
  }

  compact(): Decision {
    const { run, session } = this.draft.state
    if (run.status === 'running') return refuse('run_active', 'a run is active')
    if (session.messages === 0) return refuse('nothing_to_compact', 'there is no message yet')
    return this.accept({ runId: this.startRun('compact') })
  }

  decide(command: CommandOf<'decide'>): Decision {
    return this.answered(takeDecision(this.draft, command, this.context))
  }

  answer(command: CommandOf<'answer'>): Decision {
    return this.answered(takeAnswer(this.draft, command, this.context))
  }

  private answered(taken: Taken): Decision {
    if ('rejection' in taken) return { ok: false, rejection: taken.rejection }
    this.resume(taken.callId)
    return this.accept({ seq: taken.seq })
  }

  expire({ decisions, questions }: Pick<SessionState, 'decisions' | 'questions'>): Accepted {
    for (const open of decisions) if (expireDecision(this.draft, open)) this.resume(open.callId)
    for (const open of questions) if (expireQuestion(this.draft, open)) this.resume(open.callId)
    return this.accept({})
  }

  removeRule(ruleId: string): Decision {
    const { rules } = this.draft.state.session
    if (!rules.some((rule) => rule.ruleId === ruleId)) {
      return refuse('no_such_rule', `no rule ${ruleId} in this session`)
    }
    return this.accept({
      seq: this.draft.add({ type: 'rule_removed', ruleId, by: this.context.by }),
    })
  }

  changeFiles(command: FileCommand): Decision {
    const { assist, by } = this.context
    if (assist?.type !== 'files') throw new Error('files are not changed unprepared')
    if (assist.refusal !== undefined) return { ok: false, rejection: assist.refusal }
    const seq = recordFileCommand(this.draft, command, assist, by)
    return this.accept({ seq })
  }

  changeMission(command: MissionCommand): Decision {
    return this.changed(changeMission(this.draft, command, this.context.by))
  }

  setOverride(command: CommandOf<'override_set'>): Decision {
    return this.changed(setOverride(this.draft, command, this.context))
  }

  promptNow(): Decision {
    const rejection = findPromptProblem(this.draft.state)
    return rejection === null ? this.prompt() : { ok: false, rejection }
  }

  /** Prompt and run in one commit: a crash leaves both or none. */
  prompt(): Accepted {
    const seq = addIdlePrompt(this.draft)
    return this.accept({ seq, runId: this.startRun() })
  }

  private changed(result: { seq: number } | { rejection: Rejection }): Decision {
    return 'seq' in result ? this.accept(result) : { ok: false, rejection: result.rejection }
  }
}

const noSuchItem = (itemId: string): Decision => refuse('no_such_item', `no queued item ${itemId}`)

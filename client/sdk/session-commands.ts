// What can be asked of a session, as methods.

import type { Ack, CommandOf, CommandType } from '#protocol/commands'
import type { Answers } from '#protocol/decision-events'
import type { Attachment, Delivery, SessionChanges } from '#protocol/events'
import type { AgentOverride } from '#protocol/mission-events'
import type { SessionView } from './types.ts'

/** A command before it has its id. */
export type Ask = { [T in CommandType]: Omit<CommandOf<T>, 'id'> }[CommandType]

/** What of a checkpoint is meant: all of it, one file, or one change in that file. */
export type ChangeTarget = { checkpointId: string; path?: string; hunk?: number }

/** What a person says to a decision, beside yes or no. */
export type DecideOptions = Pick<CommandOf<'decide'>, 'reason' | 'edits' | 'scope'>

/** Without the numbers: once an hour, ten times. */
export type NewSessionMission = Omit<CommandOf<'mission_set'>, 'type' | 'id'>

export abstract class SessionCommands {
  abstract readonly view: SessionView

  /** Resolves when the session has answered, however many connections that takes. */
  protected abstract ask(fields: Ask): Promise<Ack>

  send(
    text: string,
    options: { delivery?: Delivery; attachments?: Attachment[]; to?: string } = {},
  ): Promise<Ack> {
    return this.ask({ type: 'send', text, ...options })
  }

  /** The run that is shown, if none is named: by the time this arrives another may be active. */
  cancel(options: { runId?: string; audioTruncatedAtMs?: number } = {}): Promise<Ack> {
    const { run } = this.view.state
    const shown = run.status === 'running' ? { runId: run.runId } : {}
    return this.ask({ type: 'cancel', ...shown, ...options })
  }

  continue(): Promise<Ack> {
    return this.ask({ type: 'continue' })
  }

  editQueued(itemId: string, text: string): Promise<Ack> {
    return this.ask({ type: 'queue_edit', itemId, text })
  }

  removeQueued(itemId: string): Promise<Ack> {
    return this.ask({ type: 'queue_remove', itemId })
  }

  moveQueued(itemId: string, before: string | null): Promise<Ack> {
    return this.ask({ type: 'queue_move', itemId, before })
  }

  sendQueuedNow(itemId: string): Promise<Ack> {
    return this.ask({ type: 'queue_send_now', itemId })
  }

  keep(target: ChangeTarget): Promise<Ack> {
    return this.ask({ type: 'keep', ...target })
  }

  /** Written only where the file still is what the agent left there; else there is a conflict. */
  undo(target: ChangeTarget): Promise<Ack> {
    return this.ask({ type: 'undo', ...target })
  }

  redo(target: ChangeTarget): Promise<Ack> {
    return this.ask({ type: 'redo', ...target })
  }

  /** Every file as it was when this checkpoint began; itself a checkpoint, so it can be undone. */
  restore(checkpointId: string): Promise<Ack> {
    return this.ask({ type: 'restore', checkpointId })
  }

  configure(changes: SessionChanges): Promise<Ack> {
    return this.ask({ type: 'configure', ...changes })
  }

  /** The first answer counts; a later one is refused as `already_decided`. */
  decide(
    decisionId: string,
    verdict: 'accept' | 'reject',
    options: DecideOptions = {},
  ): Promise<Ack> {
    return this.ask({ type: 'decide', decisionId, verdict, ...options })
  }

  /** To `ask_user`: each question's id with what was chosen or written. */
  answer(questionId: string, answers: Answers): Promise<Ack> {
    return this.ask({ type: 'answer', questionId, answers })
  }

  /** A rule of this session; those of its owner are removed through the API. */
  removeRule(ruleId: string): Promise<Ack> {
    return this.ask({ type: 'rule_remove', ruleId })
  }

  /** A standing goal: while the session is idle, its schedule prompts the agent. */
  setMission(mission: NewSessionMission): Promise<Ack> {
    return this.ask({ type: 'mission_set', ...mission })
  }

  clearMission(): Promise<Ack> {
    return this.ask({ type: 'mission_clear' })
  }

  pauseMission(): Promise<Ack> {
    return this.ask({ type: 'mission_pause' })
  }

  resumeMission(): Promise<Ack> {
    return this.ask({ type: 'mission_resume' })
  }

  /** The next prompt now instead of when it is due. */
  promptMission(): Promise<Ack> {
    return this.ask({ type: 'mission_prompt' })
  }

  /** What this session changes of an agent; null: nothing any more. */
  setOverride(agentId: string, override: AgentOverride | null): Promise<Ack> {
    return this.ask({ type: 'override_set', agentId, override })
  }

  clear(): Promise<Ack> {
    return this.ask({ type: 'clear' })
  }

  /** Has the older part of the model's history summarised now. */
  compact(): Promise<Ack> {
    return this.ask({ type: 'compact' })
  }
}

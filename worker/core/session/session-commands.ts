// A command on its way to a decision: whose it is, whether it was answered before, how often they
// come, and what has to be found out first. Nothing is stored for one that is refused.

import type { Ack, Command } from '#protocol/commands'
import type { Edits } from '#protocol/decision-events'
import type { Judged, Rejection } from '#protocol/http'
import type { SessionState } from '#protocol/state'
import type { Assist, DecideAssist } from './answers.ts'
import { findAskedElsewhere } from './asked-elsewhere.ts'
import { decide } from './decide.ts'
import type { Accepted, DecideContext } from './decide-types.ts'
import { digest } from './digest.ts'
import { judge, patternsOf, type JudgeDeps } from './judge.ts'
import type { CommandRecord, Log } from './log.ts'
import { preparationOf } from './prepare-command.ts'
import { judgeEdits } from './prepare-decision.ts'
import type { SessionDeps } from './session-deps.ts'
import type { SessionFiles } from './session-files.ts'
import { NOT_FOUND, refuse, type Outcome } from './session-views.ts'
import { takeToken, type Bucket } from './token-bucket.ts'

/** Why a cancel happens: a person at a client, or a program over HTTP. */
export type Reason = DecideContext['reason']

export type CommandsDeps = {
  session: SessionDeps
  log: Log
  files: SessionFiles
  state: () => SessionState
  isOwnedBy: (owner: string) => boolean
  judging: (owner: string) => JudgeDeps
  context: (by: string, reason: Reason, assist: Assist | null) => DecideContext
  commit: (decision: Accepted, command: CommandRecord) => void
  /** Settles what is not decided by now: the alarm that does it may ring late. */
  expire: () => void
  warn: (code: string, message: string) => void
}

export class SessionCommands {
  private readonly deps: CommandsDeps
  private bucket: Bucket | undefined
  /** The last message whose addressee is looked up; null: none is. */
  private sending: Promise<unknown> | null = null

  constructor(deps: CommandsDeps) {
    this.deps = deps
  }

  /** At once, but for the few that have to be prepared: nothing of those is decided before. */
  take(owner: string, command: Command, reason: Reason): Outcome<Ack> | Promise<Outcome<Ack>> {
    const { session, files, state, judging } = this.deps
    const elsewhere = findAskedElsewhere(command, state().session.id)
    if (elsewhere !== null) return this.forward(elsewhere, owner, command, reason)
    const prepare = preparationOf(command, {
      files,
      state,
      tools: session.tools,
      now: session.now,
      judge: (action) => judge(judging(owner), action),
      patterns: () => patternsOf(judging(owner)),
      isBuiltIn: (name) => session.agents.find(name) !== null,
      findAgent: async (name) =>
        session.agents.find(name) ?? (await session.agents.load(owner, name)),
    })
    if (command.type === 'send' && (prepare !== null || this.sending !== null)) {
      return this.inOrder(() =>
        prepare === null
          ? this.decide(owner, command, reason, null)
          : this.prepared(owner, command, reason, prepare),
      )
    }
    if (prepare !== null) return this.prepared(owner, command, reason, prepare)
    return this.decide(owner, command, reason, null)
  }

  /** Messages keep the order in which they were sent, although some have to be looked into first. */
  private inOrder(take: () => Outcome<Ack> | Promise<Outcome<Ack>>): Promise<Outcome<Ack>> {
    const taken = (this.sending ?? Promise.resolve()).then(take)
    const settled = taken
      .catch(() => undefined)
      .then(() => {
        if (this.sending === settled) this.sending = null
      })
    this.sending = settled
    return taken
  }

  /** For whoever edits a call and has not answered yet. Nothing is decided by it. */
  async judgeEdits(
    owner: string,
    asked: { decisionId: string; edits: Edits },
  ): Promise<Outcome<Judged>> {
    const { session, state, judging, isOwnedBy } = this.deps
    if (!isOwnedBy(owner)) return NOT_FOUND
    const { tools } = session
    const found = await judgeEdits(
      { state: state(), tools, judge: (action) => judge(judging(owner), action) },
      asked,
    )
    if (found === null) return refuse('no_such_decision', `nothing is asked as ${asked.decisionId}`)
    if ('problem' in found) return refuse('invalid_edit', found.problem)
    return { ok: true, value: found }
  }

  /** null: it is not too often. */
  takeRate(): Rejection | null {
    const { commandRate, now } = this.deps.session
    if (commandRate === null) return null
    const taken = takeToken(this.bucket, commandRate, now())
    this.bucket = taken.bucket
    if (taken.ok) return null
    const { retryAfterSeconds } = taken
    return { code: 'rate_limited', message: 'too many commands', retryAfterSeconds }
  }

  private async forward(
    sessionId: string,
    owner: string,
    command: Command,
    reason: Reason,
  ): Promise<Outcome<Ack>> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const answered = await this.deps.session.peers.command(sessionId, owner, command, reason)
    if (answered.ok || answered.rejection.code !== 'not_found') return answered
    return refuse('no_such_decision', 'nothing is asked under this id')
  }

  /** Nothing is looked up for a stranger, for what was answered already, or too fast. */
  private async prepared(
    owner: string,
    command: Command,
    reason: Reason,
    prepare: () => Promise<Assist>,
  ): Promise<Outcome<Ack>> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    if (this.deps.log.findCommand(command.id) !== null) {
      return this.decide(owner, command, reason, null)
    }
    const limited = this.takeRate()
    if (limited !== null) return { ok: false, rejection: limited }
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const assist = await prepare()
      // A file changed meanwhile: what was prepared is about another one.
      if (assist.type === 'files' && assist.version !== this.deps.files.version) continue
      const result = this.decide(owner, command, reason, assist)
      // oxlint-disable-next-line no-await-in-loop
      if (result.ok && assist.type === 'decide') await this.saveRule(owner, assist)
      return result
    }
  }

  /** After the decision: a rule without one could say the opposite of what was answered. */
  private async saveRule(owner: string, { ownerRule }: DecideAssist): Promise<void> {
    if (ownerRule === undefined) return
    try {
      await this.deps.session.rules.save(owner, ownerRule)
    } catch {
      const message = 'The answer counts, but the rule could not be saved: you will be asked again.'
      this.deps.warn('rule_not_saved', message)
    }
  }

  private decide(
    owner: string,
    command: Command,
    reason: Reason,
    assist: Assist | null,
  ): Outcome<Ack> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const body = digest(JSON.stringify(command))
    const earlier = this.deps.log.findCommand(command.id)
    if (earlier !== null) {
      if (earlier.body === body) return { ok: true, value: earlier.ack }
      return refuse('id_reused', `id: ${command.id} was used for another command`)
    }
    if (command.type === 'decide') this.deps.expire()
    const state = this.deps.state()
    // Stop must always work.
    const isStop = command.type === 'cancel' && state.run.status === 'running'
    // What was prepared has been counted already.
    const limited = isStop || assist !== null ? null : this.takeRate()
    if (limited !== null) return { ok: false, rejection: limited }
    const decision = decide(state, command, this.deps.context(owner, reason, assist))
    if (!decision.ok) return decision
    this.deps.commit(decision, { id: command.id, body, ack: decision.ack })
    return { ok: true, value: decision.ack }
  }
}

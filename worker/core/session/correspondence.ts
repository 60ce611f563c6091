// Letters between this session and others: stored with what caused them, sent, taken once, and
// answered for where they cannot be delivered (AGT2).

import {
  isRequest,
  type Claim,
  type Delivery,
  type Envelope,
  type Letter,
  type NewPeer,
} from './letters.ts'
import { LOOK_UP_MS } from '#protocol/limits'
import type { SessionState } from '#protocol/state'
import {
  decideLateContacts,
  decideLetter,
  decideLostContacts,
  decideOverdue,
  decideUndelivered,
  unanswered,
} from './decide-letter.ts'
import type { Accepted, Decision, DecideContext } from './decide-types.ts'
import {
  answerAsker,
  answerWithdrawn,
  cancelContacts,
  findChild,
  findExchange,
} from './exchanges.ts'
import { Draft } from './draft.ts'
import { Mailbox, type StoredLetter } from './mailbox.ts'
import { Mailer } from './mailer.ts'
import { ProgressTeller } from './progress.ts'
import type { SessionDeps } from './session-deps.ts'
import { within } from './timers.ts'

export type CorrespondenceDeps = {
  session: SessionDeps
  state: () => SessionState
  /** null: there is no session here. */
  owner: () => string | null
  /** It can still be restored, so what it does goes on; but nobody finds it. */
  isDeleted: () => boolean
  context: () => DecideContext
  /** `alongside`: in the same transaction. */
  commit: (decision: Accepted, alongside: () => void) => void
  /** The session is made with what the letter comes to, in one transaction. */
  create: (
    owner: string,
    sessionId: string,
    peer: NewPeer,
    decide: (state: SessionState) => Decision,
    alongside: () => void,
  ) => Delivery
  changed: () => void
}

const GONE: Delivery = {
  ok: false,
  rejection: { code: 'not_found', message: 'there is no such session any more' },
}

export class Correspondence {
  private readonly deps: CorrespondenceDeps
  private readonly mailbox: Mailbox
  private readonly mailer: Mailer
  private readonly teller = new ProgressTeller()
  /** Asked for by a letter that this object itself took: a cancel would have come the same way. */
  private readonly confirmed = new Set<string>()

  constructor(deps: CorrespondenceDeps) {
    const { session, state, changed } = deps
    this.deps = deps
    this.mailbox = new Mailbox(session.sql)
    this.mailer = new Mailer({
      mailbox: this.mailbox,
      from: () => state().session.id,
      now: session.now,
      random: session.random,
      background: session.background,
      deliver: (to, envelope) => session.peers.deliver(to, deps.owner() ?? '', envelope),
      isUnwanted: (letter) => this.isUnwanted(letter),
      // A deleted session goes on until it is erased, but begins nothing that would outlive it.
      isHeld: (letter) => isRequest(letter) && deps.isDeleted(),
      failed: (letter, why) => this.fail(letter, why),
      overdue: (letter, postpone) =>
        this.deps.commit(decideOverdue(state(), letter, this.deps.context()), postpone),
      changed,
    })
  }

  /** What was not sent when the object last lived, or could not be while the session was deleted. */
  load(): void {
    this.mailer.load()
  }

  /**
   * Those who work for this session may have died with it, and have nobody else to wake them before
   * their own alarm does. What they could not deliver meanwhile is sent now.
   */
  wakeHelpers(): void {
    const { exchanges, children, session } = this.deps.state()
    const { peers, background } = this.deps.session
    const ids = [
      ...children.map(({ childSessionId }) => childSessionId),
      ...exchanges.map(({ toSessionId }) => toSessionId),
    ]
    const owner = this.deps.owner() ?? ''
    const wakeHelper = async (id: string): Promise<void> => {
      const isThere = await peers.resend(id, owner, session.id).catch(() => true)
      if (!isThere) this.lose(id)
    }
    for (const id of new Set(ids)) background(wakeHelper(id))
  }

  /** It was erased, and could not take leave of this session. */
  private lose(helperId: string): void {
    // Not made yet: what makes it is still on its way.
    if (this.mailer.hasFor(helperId)) return
    const lost = decideLostContacts(this.deps.state(), helperId, this.deps.context())
    if (lost !== null) this.deps.commit(lost, () => {})
  }

  /** Where there is no session: something was taken back before it came, and is not to come. */
  get isExpecting(): boolean {
    return this.mailbox.hasSenders
  }

  resend(to: string): void {
    this.mailer.hurry(to)
  }

  get backlog(): number {
    return this.mailer.backlog
  }

  /** When something has to be done although nobody writes. */
  wantedAlarms(): number[] {
    const { retryAt } = this.mailer
    const state = this.deps.state()
    const late = [...unanswered(state), ...state.children].map(({ expiresAt }) => expiresAt)
    return retryAt === null ? late : [retryAt, ...late]
  }

  /** Never throws. */
  alarm(): void {
    const late = decideLateContacts(this.deps.state(), this.deps.context())
    if (late !== null) this.deps.commit(late, () => {})
    this.mailer.pump()
  }

  /** What a commit sends, and what it tells a parent. */
  toLetters({ mail, state }: Accepted, before: SessionState): StoredLetter[] {
    const now = this.deps.session.now()
    const told = this.teller.tell(before, state, now, this.mailer.backlog > 0)
    return this.mailbox.toStored([...mail, ...told], numberingOf(state), now)
  }

  store(letters: readonly StoredLetter[]): void {
    this.mailbox.insert(letters)
  }

  send(letters: readonly StoredLetter[]): void {
    this.mailer.add(letters)
  }

  receive(owner: string, sessionId: string, envelope: Envelope): Delivery {
    const { from, number, letter } = envelope
    const known = this.deps.owner()
    if (known !== null && known !== owner) return GONE
    this.mailer.noticeAlive(from)
    if (number <= this.mailbox.lastFrom(from)) return { ok: true }
    if (known === null) return this.receiveFirst(owner, sessionId, envelope)
    if (this.deps.isDeleted() && isRequest(letter)) return GONE
    const decision = decideLetter(this.deps.state(), letter, this.deps.context())
    if (!decision.ok) return decision
    this.confirm(letter)
    const note = (): void => this.mailbox.noteFrom(from, number)
    if (decision.events.length > 0) this.deps.commit(decision, note)
    else note()
    return { ok: true }
  }

  /** There is no session here yet, or not any more. */
  private receiveFirst(
    owner: string,
    sessionId: string,
    { from, number, letter }: Envelope,
  ): Delivery {
    const note = (): void => this.mailbox.noteFrom(from, number)
    if (letter.type === 'cancel') {
      // What it takes back may still be on its way, and must not begin when it arrives.
      note()
      this.deps.session.setAlarm(this.deps.session.now() + UNDER_WAY_MS)
      return { ok: true }
    }
    const peer = 'create' in letter ? letter.create : null
    if (peer === null) return GONE
    this.confirm(letter)
    const decide = (state: SessionState) => decideLetter(state, letter, this.deps.context())
    return this.deps.create(owner, sessionId, peer, decide, note)
  }

  private confirm(letter: Letter): void {
    // What else was asked for may be taken back as well, by somebody who has not come round to it.
    if (letter.type === 'cancel') this.confirmed.clear()
    if (letter.type === 'message') this.confirmed.add(letter.exchangeId)
    if (letter.type === 'spawn') this.confirmed.add(letter.childRunId)
  }

  private isUnwanted(letter: Letter): boolean {
    return isRequest(letter) && !this.isWanted(letter)
  }

  /** Whether somebody here still waits for this. */
  isWanted(claim: Claim): boolean {
    const state = this.deps.state()
    if ('childRunId' in claim) return findChild(state, claim.childRunId) !== undefined
    const open = findExchange(state, claim.exchangeId)
    return open !== undefined && open.cancelled !== true
  }

  /**
   * Whether the active run may execute anything. An object that was out of reach cannot know what
   * became of whoever it works for: it asks, for as long as that takes. False: nobody wants it.
   */
  async mayGoOn(signal: AbortSignal): Promise<boolean> {
    const { run, session } = this.deps.state()
    if (run.status !== 'running' || run.asker === undefined || run.parentRunId === undefined) {
      return true
    }
    const { exchangeId, runId: childRunId, asker } = run
    const claim = exchangeId === undefined ? { childRunId } : { exchangeId }
    const key = exchangeId ?? childRunId
    if (this.confirmed.has(key) || session.id === '') return true
    const isWanted = await this.ask(asker.sessionId, claim, signal)
    if (isWanted) this.confirmed.add(key)
    return isWanted
  }

  private async ask(sessionId: string, claim: Claim, signal: AbortSignal): Promise<boolean> {
    const { peers, timers } = this.deps.session
    for (let attempt = 0; !signal.aborted; attempt++) {
      const asked = peers.isWanted(sessionId, this.deps.owner() ?? '', claim)
      // oxlint-disable-next-line no-await-in-loop
      const isWanted = await within<boolean | null>(timers, LOOK_UP_MS, asked, null)
      if (isWanted !== null) return isWanted
      const pause = Math.min(ASK_PAUSE_MAX_MS, ASK_PAUSE_MS * 2 ** attempt)
      // oxlint-disable-next-line no-await-in-loop
      await new Promise<void>((resolve) => {
        const timer = timers.set(pause, resolve)
        signal.addEventListener('abort', () => (timers.clear(timer), resolve()), { once: true })
      })
    }
    return false
  }

  /** Before everything is forgotten: nobody may wait for a session that is not there any more. */
  async farewell(owner: string): Promise<void> {
    const draft = new Draft(this.deps.state(), this.deps.session.now())
    const { run, queue } = draft.state
    if (run.status === 'running') {
      answerAsker(draft, run, 'cancelled')
      cancelContacts(draft, run, 'cancelled')
    }
    for (const item of queue.items) answerWithdrawn(draft, item, 'The session was deleted.')
    this.mailer.pause()
    const last = this.mailbox.toStored(draft.mail, numberingOf(draft.state), draft.now, 'last')
    // Nobody will be here for what it has yet to ask for.
    const unsent = this.mailbox.load().filter(({ letter }) => !isRequest(letter))
    try {
      await this.deliverAll(owner, [...unsent, ...last])
    } catch (error) {
      this.mailer.load()
      throw error
    }
  }

  private async deliverAll(owner: string, letters: readonly StoredLetter[]): Promise<void> {
    const { id: from } = this.deps.state().session
    for (const { to, number, letter } of letters) {
      // oxlint-disable-next-line no-await-in-loop
      await this.deps.session.peers.deliver(to, owner, { from, number, letter })
    }
  }

  private fail(stored: StoredLetter, why: { code: string; message: string }): void {
    const { state, context, commit } = this.deps
    const decision = decideUndelivered(state(), stored.letter, why, context())
    if (decision.events.length === 0) return this.mailbox.delete(stored.number)
    commit(decision, () => this.mailbox.delete(stored.number))
  }
}

const numberingOf = ({ session, seq }: SessionState) => ({ since: session.createdAt, seq })

/** Longer than a letter can be on its way. */
const UNDER_WAY_MS = 600_000
const ASK_PAUSE_MS = 500
const ASK_PAUSE_MAX_MS = 15_000

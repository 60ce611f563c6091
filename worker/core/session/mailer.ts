// Sends what the mailbox holds: to each receiver one letter at a time, in order, until it is taken,
// refused or given up. What is in memory can be lost: the rows say what there is to send.

import { LETTER_ATTEMPTS, LETTER_LATE_MS, WATCHDOG_MS } from '#protocol/limits'
import {
  isOwed,
  UNREACHABLE,
  type Delivery,
  type Envelope,
  type Letter,
  type Owed,
} from './letters.ts'
import type { Mailbox, StoredLetter } from './mailbox.ts'

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 300_000

export type MailerDeps = {
  mailbox: Mailbox
  /** This session. */
  from: () => string
  now: () => number
  random: () => number
  background: (work: Promise<unknown>) => void
  deliver: (to: string, envelope: Envelope) => Promise<Delivery>
  /** Nobody waits any more for what it asks for. */
  isUnwanted: (letter: Letter) => boolean
  /** Not now, and perhaps never. */
  isHeld: (letter: Letter) => boolean
  /** It will never arrive: logged, and its row deleted, in one transaction. */
  failed: (letter: StoredLetter, why: { code: string; message: string }) => void
  /** It will arrive, but nobody can say when: logged, and postponed, in one transaction. */
  overdue: (letter: Owed, postpone: () => void) => void
  /** Something is due at another time than before. */
  changed: () => void
}

/** It would only be started to be stopped: whoever was out of reach does nothing when it is back. */
const TAKEN_BACK: Delivery = {
  ok: false,
  rejection: { code: 'not_found', message: 'it was taken back before it arrived' },
}

const NOT_REACHED = { code: UNREACHABLE, message: 'the other session cannot be reached' }

export class Mailer {
  private readonly deps: MailerDeps
  private waiting: StoredLetter[] = []
  private readonly sending = new Set<string>()
  private isPaused = false

  constructor(deps: MailerDeps) {
    this.deps = deps
  }

  get backlog(): number {
    return this.waiting.length
  }

  /** What is stored, whatever was in memory. */
  load(): void {
    this.isPaused = false
    this.waiting = this.deps.mailbox.load()
    this.pump()
  }

  /** They are stored by now. */
  add(letters: readonly StoredLetter[]): void {
    if (letters.length === 0) return
    this.waiting.push(...letters)
    this.pump()
  }

  /** When the next try is due; null: nothing is to be sent. */
  get retryAt(): number | null {
    // What is on its way is lost with this object, and nobody else would wake it to send it again.
    const onItsWay = this.deps.now() + WATCHDOG_MS
    const heads = this.heads().filter(({ letter }) => !this.deps.isHeld(letter))
    const due = heads.map((head) => (this.sending.has(head.to) ? onItsWay : head.due))
    return due.length === 0 ? null : Math.min(...due)
  }

  pump(): void {
    const now = this.deps.now()
    for (const head of this.heads()) {
      const isReady = head.due <= now && !this.deps.isHeld(head.letter)
      if (isReady && !this.sending.has(head.to)) this.start(head.to)
    }
  }

  hasFor(to: string): boolean {
    return this.waiting.some((letter) => letter.to === to)
  }

  /** The receiver is there again, and waits for what is owed to it. */
  hurry(to: string): void {
    const head = this.waiting.find((letter) => letter.to === to)
    if (head === undefined || !isOwed(head.letter)) return
    head.due = Math.min(head.due, this.deps.now())
    this.pump()
  }

  /** It has been heard of. */
  noticeAlive(sessionId: string): void {
    const head = this.waiting.find(({ to }) => to === sessionId)
    if (head !== undefined && head.attempts >= LETTER_ATTEMPTS) this.hurry(sessionId)
  }

  /** Nothing more is sent, until it is loaded again. */
  pause(): void {
    this.isPaused = true
    this.waiting = []
  }

  /** The oldest for each receiver: the others wait behind it. */
  private heads(): StoredLetter[] {
    const heads = new Map<string, StoredLetter>()
    for (const letter of this.waiting) if (!heads.has(letter.to)) heads.set(letter.to, letter)
    return [...heads.values()]
  }

  private start(to: string): void {
    this.sending.add(to)
    // Not before the command that caused it is answered.
    const work = Promise.resolve()
      .then(() => this.sendAll(to))
      .finally(() => {
        this.sending.delete(to)
        if (this.isPaused) return
        // What was added when the last one had just been sent.
        this.pump()
        this.deps.changed()
      })
    this.deps.background(work)
  }

  private async sendAll(to: string): Promise<void> {
    for (;;) {
      const head = this.waiting.find((letter) => letter.to === to)
      if (head === undefined || this.isPaused || head.due > this.deps.now()) return
      if (this.deps.isHeld(head.letter)) return
      if (this.deps.isUnwanted(head.letter)) {
        this.settle(head, TAKEN_BACK)
        continue
      }
      // One at a time: a later letter must not overtake an earlier one.
      // oxlint-disable-next-line no-await-in-loop
      const delivery = await this.trySend(head)
      if (this.isPaused) return
      if (delivery === null) this.postpone(head)
      else this.settle(head, delivery)
    }
  }

  /** null: the receiver was not reached. */
  private async trySend({ to, number, letter }: StoredLetter): Promise<Delivery | null> {
    try {
      return await this.deps.deliver(to, { from: this.deps.from(), number, letter })
    } catch {
      return null
    }
  }

  private settle(head: StoredLetter, delivery: Delivery): void {
    this.waiting = this.waiting.filter((letter) => letter !== head)
    if (delivery.ok) this.deps.mailbox.delete(head.number)
    else this.deps.failed(head, delivery.rejection)
  }

  private postpone(head: StoredLetter): void {
    const { mailbox, now, random, overdue } = this.deps
    const { letter, number } = head
    head.attempts += 1
    const isLate = head.attempts >= LETTER_ATTEMPTS
    if (isLate && !isOwed(letter)) return this.giveUp(head)
    const pause = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (head.attempts - 1))
    head.due = now() + Math.round((isLate ? LETTER_LATE_MS : pause) * (0.5 + random() / 2))
    const postpone = (): void => mailbox.postpone(number, head.attempts, head.due)
    if (head.attempts === LETTER_ATTEMPTS && isOwed(letter)) overdue(letter, postpone)
    else postpone()
    if (!isLate) return
    // What is asked of it now must not wait behind what may take days.
    const behind = this.waiting.filter((one) => one.to === head.to && !isOwed(one.letter))
    for (const one of behind) this.giveUp(one)
  }

  private giveUp(letter: StoredLetter): void {
    this.waiting = this.waiting.filter((one) => one !== letter)
    this.deps.failed(letter, NOT_REACHED)
  }
}

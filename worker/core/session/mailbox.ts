// The letters a session has yet to send, and the last one it had from each other session. Rows of
// their own beside the log, made at first use: most sessions talk to nobody.

import { hasTable } from './schema.ts'
import type { Letter, Mail } from './letters.ts'
import type { Sql } from './sql.ts'

const LETTERS = `CREATE TABLE IF NOT EXISTS letters (
  number INTEGER PRIMARY KEY, receiver TEXT NOT NULL, letter TEXT NOT NULL,
  attempts INTEGER NOT NULL, due INTEGER NOT NULL)`
const SENDERS = `CREATE TABLE IF NOT EXISTS senders (
  sender TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID`

/** Letters of one commit: fewer than this, so that a number says which commit it came from. */
const LETTERS_PER_COMMIT = 1000

export type StoredLetter = {
  number: number
  to: string
  letter: Letter
  attempts: number
  due: number
}

export class Mailbox {
  private readonly sql: Sql

  constructor(sql: Sql) {
    this.sql = sql
  }

  /** Oldest first. */
  load(): StoredLetter[] {
    if (!hasTable(this.sql, 'letters')) return []
    const rows = this.sql.exec<{
      number: number
      receiver: string
      letter: string
      attempts: number
      due: number
    }>('SELECT number, receiver, letter, attempts, due FROM letters ORDER BY number')
    return rows.map(({ receiver, letter, ...rest }) => ({
      ...rest,
      to: receiver,
      letter: JSON.parse(letter) as Letter,
    }))
  }

  /**
   * `since`: when the session was made, in ms; `seq`: of the last event of the commit that these are
   * written with. A session that is deleted and made again under its id is newer than its
   * predecessor had events: its numbers go on where those ended.
   */
  toStored(
    mail: readonly Mail[],
    { since, seq }: { since: number; seq: number },
    now: number,
    place: 'with_events' | 'last' = 'with_events',
  ): StoredLetter[] {
    if (mail.length >= LETTERS_PER_COMMIT / 2) throw new Error('too many letters at once')
    // What is said without an event comes after what was said with the last one.
    const first = place === 'last' ? LETTERS_PER_COMMIT / 2 : 0
    return mail.map(({ to, letter }, index) => ({
      number: (since + seq) * LETTERS_PER_COMMIT + first + index,
      to,
      letter,
      attempts: 0,
      due: now,
    }))
  }

  /** In the transaction of the events that caused them. */
  insert(letters: readonly StoredLetter[]): void {
    if (letters.length > 0) this.sql.exec(LETTERS)
    for (const { number, to, letter, attempts, due } of letters) {
      this.sql.exec(
        'INSERT INTO letters (number, receiver, letter, attempts, due) VALUES (?, ?, ?, ?, ?)',
        number,
        to,
        JSON.stringify(letter),
        attempts,
        due,
      )
    }
  }

  delete(number: number): void {
    this.sql.exec('DELETE FROM letters WHERE number = ?', number)
  }

  postpone(number: number, attempts: number, due: number): void {
    this.sql.exec(
      'UPDATE letters SET attempts = ?, due = ? WHERE number = ?',
      attempts,
      due,
      number,
    )
  }

  /** The number of the last letter of this sender that took effect; 0: none has. */
  lastFrom(sender: string): number {
    if (!hasTable(this.sql, 'senders')) return 0
    const [row] = this.sql.exec<{ number: number }>(
      'SELECT number FROM senders WHERE sender = ?',
      sender,
    )
    return row?.number ?? 0
  }

  get hasSenders(): boolean {
    return hasTable(this.sql, 'senders')
  }

  /** In the transaction of what the letter comes to. */
  noteFrom(sender: string, number: number): void {
    this.sql.exec(SENDERS)
    this.sql.exec(
      `INSERT INTO senders (sender, number) VALUES (?, ?)
       ON CONFLICT (sender) DO UPDATE SET number = excluded.number`,
      sender,
      number,
    )
  }
}

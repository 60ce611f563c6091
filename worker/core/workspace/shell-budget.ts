// What one shell command may cost. The interpreter does not yield and its clock stands still while
// it computes, so work is counted, not timed: every file operation and every program that starts
// pays here, and after each share of it other events of the object get their turn.

import { toUnits, type RegexWeight } from './shell-regex.ts'

/** One unit is about half a microsecond: one byte through a simple regular expression. */
const UNITS = 32 * 1024 * 1024
/** At once, without a pause: what a person on another device would notice as a stutter. */
const STEP_UNITS = 4 * 1024 * 1024
/** A pause after this much, so that a cancel gets through. */
const PAUSE_UNITS = 64 * 1024
/** What an operation costs by itself, a look at a folder or the start of a program. */
const OPERATION_UNITS = 128
/** One expression or statement of a shell, awk, sed or jq script. */
const EXPRESSION_UNITS = 2
/** One `${x^^}` or the like: it goes through a whole variable, whose size nobody tells. */
const EXPANSION_UNITS = 4096
/** Many of them in a row are counted higher: there is no pause between them. */
const EXPANSIONS_IN_A_ROW = 4
/** What is left after a limit, for the interpreter to come to its end and say how it went. */
const ENDING_UNITS = 1024 * 1024

/**
 * The error of the interpreter's own limits. It is the only one that ends a whole script, out of
 * any program, and keeps the output so far.
 */
export type LimitError = new (message: string, kind: 'iterations') => Error

export type ByteRate = { perByte: number; regex: RegexWeight | null }

export class ShellBudget {
  /** What ended the command before its end; null: nothing did. */
  ended: { why: string; exitCode: number } | null = null
  /** What a byte costs in the program that is at work. */
  rate: ByteRate = { perByte: 1, regex: null }
  /** Programs that run inside each other now; 0: the shell itself is at work. */
  depth = 0
  /** What programs do not say: most take a file that is too large for one that is missing. */
  readonly notes = new Set<string>()
  private spent = 0
  private sincePause = 0
  private afterEnd = 0
  private readonly cancelled: AbortSignal
  private readonly LimitError: LimitError

  constructor(cancelled: AbortSignal, LimitError: LimitError) {
    this.cancelled = cancelled
    this.LimitError = LimitError
  }

  /** What `bytes` cost in this program; by default they may all be one line. */
  unitsOf(bytes: number, longestLine = bytes): number {
    const { perByte, regex } = this.rate
    return bytes * (perByte + (regex === null ? 0 : toUnits(regex, longestLine)))
  }

  isTooMuch(units: number): boolean {
    return units > STEP_UNITS
  }

  async spend(work = 0): Promise<void> {
    this.check()
    if (this.isTooMuch(work)) this.end('limit: too much data for one step of a program')
    const units = OPERATION_UNITS + work
    this.spent += units
    if (this.spent > UNITS) this.end('limit: the command does too much work')
    this.sincePause += units
    if (this.sincePause < PAUSE_UNITS) return
    this.sincePause = 0
    await pause()
    this.check()
  }

  /** Loops in loops have no limit of their own in awk: each of their expressions passes here. */
  hit(feature: string): void {
    const isExpansion = feature.startsWith('bash:expansion:')
    this.spent += isExpansion ? EXPANSION_UNITS : EXPRESSION_UNITS
    this.sincePause += isExpansion ? EXPANSION_UNITS * EXPANSIONS_IN_A_ROW : EXPRESSION_UNITS
    if (this.sincePause > STEP_UNITS) this.end('limit: too many steps in one program')
    if (this.spent > UNITS) this.end('limit: the command does too much work')
  }

  /** Each step of the interpreter passes here, in shares; also those that nothing else counts. */
  pay(units: number, why: string): void {
    if (this.ended !== null) {
      // Whoever caught the end and goes on meets it again.
      this.afterEnd += units
      if (this.afterEnd > ENDING_UNITS) this.check()
      return
    }
    this.spent += units
    this.sincePause += units
    if (this.sincePause > STEP_UNITS) this.end(`limit: ${why}`)
    if (this.spent > UNITS) this.end('limit: the command does too much work')
  }

  /** A shell inside the shell takes its end for an exit code: it is said again outside. */
  check(): void {
    this.cancelled.throwIfAborted()
    if (this.ended !== null) throw new this.LimitError(this.ended.why, 'iterations')
  }

  /** Ends the whole command, with exit code 126 as the interpreter's own limits do. */
  end(why: string, exitCode = 126): never {
    this.ended ??= { why, exitCode }
    throw new this.LimitError(this.ended.why, 'iterations')
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

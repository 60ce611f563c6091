import { expect, test } from 'vitest'
import { fold } from '#protocol/reduce'
import { WrittenLog } from '../../testing/node/written-log.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { markSteps } from './steps.ts'
import { toVercelMessages } from './vercel.ts'

const RUNS = 300
const FIRST_SEED = 20261118

/** What the writer knows of a provider call, as of now. */
type Truth = { text: string; calls: number; parts: number; isWhole: boolean }
type Told = { content: string; isComplete: boolean | null; parts: number }

/** A run whose every step is known to whoever writes it, and what is to be told after each event. */
class KnownRun {
  readonly log = new WrittenLog().user('Go').run()
  readonly expected = new Map<number, Told[]>()
  private readonly random: RandomSource
  private readonly steps: Truth[] = []
  private calls = 0
  private isOver = false

  constructor(seed: number) {
    this.random = new RandomSource(seed)
    this.note()
    for (let steps = this.random.below(5); steps >= 0 && !this.isOver; steps--) this.writeStep()
    if (!this.isOver) this.end()
  }

  private writeStep(): void {
    const { random, log } = this
    const step: Truth = { text: '', calls: 0, parts: 0, isWhole: true }
    this.steps.push(step)
    const open: string[] = []
    for (let parts = 1 + random.below(4); parts > 0; parts--) {
      const kind = random.weighted({ text: 4, call: 4, think: 1, thought: 1, cut: 1, crash: 1 })
      if (kind === 'cut') return this.stop(step, open)
      if (kind === 'crash' && open.length === 0) return this.crash(step)
      this.writePart(kind, step, open)
    }
    log.endStep()
    this.note()
    if (step.calls === 0) return this.end()
    for (const callId of open.toSorted(() => random.next() - 0.5)) {
      log.result(callId)
      this.note()
    }
    if (random.chance(0.2)) this.stop(step, [])
  }

  private writePart(kind: string, step: Truth, open: string[]): void {
    const { log } = this
    const id = `call-${++this.calls}`
    step.parts += 1
    switch (kind) {
      case 'call':
        step.calls += 1
        open.push(id)
        log.call(id)
        break
      case 'think':
        step.calls += 1
        log.think(`think ${id}`, id)
        break
      case 'thought':
        log.think(`thought ${id}`)
        break
      default:
        step.text += `text ${id} `
        log.text(`text ${id} `)
    }
    this.note()
  }

  /** A person stops it: calls are settled, then what was still being said. */
  private stop(step: Truth, open: readonly string[]): void {
    const { log, random } = this
    for (const callId of open) log.fail(callId, 'tool_interrupted')
    this.note()
    if (open.length > 0 && random.chance(0.5)) {
      step.text += 'cut'
      step.parts += 1
      step.isWhole = false
      log.text('cut', 'interrupted')
      this.note()
    }
    log.done('cancelled')
    this.isOver = true
    this.note()
  }

  private crash(step: Truth): void {
    const { log } = this
    step.text += 'cut'
    step.parts += 1
    step.isWhole = false
    log.text('cut', 'interrupted')
    this.note()
    log.again()
    this.note()
  }

  private end(): void {
    this.log.done()
    this.isOver = true
    this.note()
  }

  /** The rules of the format, in their own words: a step with calls stays, one of words flushes. */
  private note(): void {
    const told: Told[] = []
    let parts = 0
    for (const [index, step] of this.steps.entries()) {
      parts += step.parts
      if (step.calls > 0 || step.text === '') continue
      const isWritten = this.isOver || this.steps.slice(index + 1).some((one) => one.parts > 0)
      told.push({ content: step.text, isComplete: isWritten && step.isWhole, parts })
      parts = 0
    }
    if (parts > 0) told.push({ content: '', isComplete: null, parts })
    this.expected.set(this.log.seq, told)
  }
}

function tell(log: WrittenLog, end: number): Told[] {
  const events = log.events.slice(0, end)
  const { turns, open } = fold(events)
  return toVercelMessages(turns, open, markSteps(events))
    .toReversed()
    .flatMap((message) => {
      if (message.role === 'user') return []
      const last = message.annotations.find((mark) => 'messageId' in mark)
      const isComplete = last?.isComplete ?? null
      return [{ content: message.content, isComplete, parts: message.parts.length }]
    })
}

test('[API2] whatever a step says and calls, in whatever order, and wherever it is cut: at every point it is told as the step it is', () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
    const { log, expected } = new KnownRun(seed)
    for (const [end, told] of expected) {
      expect(tell(log, end), `seed ${seed}, first ${end} events`).toEqual(told)
    }
  }
})

test('[API2] [LOG2] where a part belongs is known with its first event and never changes', () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
    const { events } = new KnownRun(seed).log
    const all = markSteps(events)
    for (let end = 0; end <= events.length; end++) {
      for (const [key, mark] of markSteps(events.slice(0, end))) {
        expect(all.get(key), `seed ${seed}, ${key}`).toEqual(mark)
      }
    }
    const kept = events.filter(({ type }) => type !== 'text_delta' && type !== 'thinking_delta')
    expect(markSteps(kept), `seed ${seed} without deltas`).toEqual(all)
  }
})

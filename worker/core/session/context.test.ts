import { describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { COMPACT_AT } from '#protocol/limits'
import {
  countRequest,
  KINDS,
  textOf,
  TOKENIZERS,
  type Tokenizer,
  type Wrapping,
} from '../../testing/node/reference-tokenizers.ts'
import { ScriptedModel } from '../../testing/node/scripted-model.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { correctionOf, estimateRequest, estimateText, toTokens } from './context.ts'

const SEEDS = 8
const FIRST_SEED = 20261119
const TURNS = 14
/** Of what is there already. More of a kind that was never there, and nobody could know its price. */
const ADDED = 0.25
const ADDED_TOKENS = 6000

const WRAPPINGS: Record<string, Wrapping> = {
  little: { request: 3, message: 4 },
  // Anthropic's preamble for tools, and schemas that others write out in words.
  much: { request: 700, message: 9 },
}

/** A conversation of every kind, in turns of an answer, a call and its result. */
class Conversation {
  readonly harness: SessionHarness
  /** What the object expected of a request and what the provider then said of it. */
  readonly counts: { expected: number; reported: number }[] = []
  private readonly random: RandomSource
  private readonly count: Tokenizer
  private readonly wrapping: Wrapping
  private kind = 'prose'
  private reported = 2000

  private constructor(harness: SessionHarness, seed: number, count: Tokenizer, wrapping: Wrapping) {
    this.harness = harness
    this.random = new RandomSource(seed)
    this.count = count
    this.wrapping = wrapping
  }

  static async hold(seed: number, count: Tokenizer, wrapping: Wrapping): Promise<Conversation> {
    const harness = await SessionHarness.create()
    harness.tools.offered = [
      {
        name: 'search',
        description: 'Search the notes of the harbour. '.repeat(12),
        inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
      },
    ]
    const conversation = new Conversation(harness, seed, count, wrapping)
    for (let turn = 0; turn < TURNS; turn++) await conversation.takeTurn()
    return conversation
  }

  private async takeTurn(): Promise<void> {
    const { harness } = this
    harness.command({ type: 'send', text: this.write() })
    await harness.settle()
    this.note()
    const query = JSON.stringify({ query: 'harbour' })
    harness.model.current.emit({ type: 'tool_call', id: '', toolName: 'search', arguments: query })
    this.finish('tool_calls', this.count(query))
    await harness.settle()
    harness.tools.open[0]?.settle({ ok: true, result: this.write() })
    await harness.settle()
    this.note()
    const answer = this.write(0.2)
    // As providers do: a few characters at a time.
    for (let at = 0; at < answer.length; at += 5) {
      harness.model.current.text(answer.slice(at, at + 5))
    }
    this.finish('stop', this.count(answer))
    await harness.settle()
  }

  private write(share = 1): string {
    const { random } = this
    if (random.chance(0.4)) this.kind = random.pick(Object.keys(KINDS))
    const tokens = Math.min(ADDED_TOKENS, this.reported * ADDED) * random.next() * share
    return textOf(this.kind, tokens, this.count)
  }

  /** Before the provider answers: what would `isFull` go by? */
  private note(): void {
    const { request } = this.harness.model.current
    const { context } = this.harness.core.folded
    this.reported = countRequest(request, this.count, this.wrapping)
    if (context === null) return
    const expected = toTokens(context, estimateRequest(request))
    this.counts.push({ expected, reported: this.reported })
  }

  private finish(stopReason: 'stop' | 'tool_calls', outputTokens: number): void {
    const usage = { inputTokens: this.reported, outputTokens, cachedTokens: 0 }
    this.harness.model.current.finishWith(usage, stopReason)
  }
}

describe('[RUN8] what the next request takes is known within a tenth', () => {
  for (const [name, count] of Object.entries(TOKENIZERS)) {
    for (const [much, wrapping] of Object.entries(WRAPPINGS)) {
      test(`tokenizer: ${name}; the provider adds ${much}`, async () => {
        for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
          const { counts, harness } = await Conversation.hold(seed, count, wrapping)
          expect(counts).toHaveLength(2 * TURNS - 1)
          for (const { expected, reported } of counts) {
            const off = Math.abs(expected - reported) / reported
            expect(off, `seed ${seed}: ${expected} for ${reported}`).toBeLessThanOrEqual(0.1)
          }
          expect(harness.folded().run.status).toBe('idle')
        }
      })
    }
  }
})

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

describe('[RUN8] the count after a step', () => {
  test('is what the provider said of the request, and what was said since', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    harness.model.current
      .text('Twelve tokens or so, said to the one who asked.')
      .finishWith({ inputTokens: 4321, outputTokens: 12, cachedTokens: 4000 })
    await harness.settle()
    expect(of(harness, 'context_usage')).toMatchObject([
      { tokens: 4333, messages: 2, window: 1_000_000, compacted: false },
    ])
  })

  test('does not count thoughts that do not go back', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    harness.model.current.emit({ type: 'thinking', text: 'hmm '.repeat(5000) })
    harness.model.current
      .text('Yes.')
      .finishWith({ inputTokens: 1000, outputTokens: 5002, cachedTokens: 0 })
    await harness.settle()
    expect(of(harness, 'context_usage')[0]!.tokens).toBeLessThan(1050)
  })

  test('of a provider that says nothing is our own, and grows with the history', async () => {
    const harness = await SessionHarness.create()
    for (const text of ['hello', 'and again '.repeat(200)]) {
      harness.command({ type: 'send', text })
      await harness.settle()
      harness.model.current.text('Yes, of course.').finishWith(null)
      await harness.settle()
    }
    const [first, second] = of(harness, 'context_usage')
    expect(first!.tokens).toBe(first!.estimate)
    const added = estimateText('and again '.repeat(200))
    expect(second!.tokens - first!.tokens).toBeGreaterThan(added)
    expect(second!.tokens - first!.tokens).toBeLessThan(added * 1.1)
  })

  test('outlives the object: the first request after a crash is measured by the last report', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    harness.model.current
      .text('Yes.')
      .finishWith({ inputTokens: 7000, outputTokens: 1, cachedTokens: 0 })
    await harness.settle()
    const before = harness.core.folded.context
    harness.crash()
    expect(harness.core.folded.context).toEqual(before)
  })
})

describe('[RUN8] counting', () => {
  test('a text counts the same in pieces and as a whole', () => {
    const text = Object.values(KINDS).join('')
    let pieces = 0
    for (let at = 0; at < text.length; at += 7) pieces += estimateText(text.slice(at, at + 7))
    expect(pieces).toBeCloseTo(estimateText(text), 6)
    expect(estimateText('')).toBe(0)
  })

  test('every character counts, lone surrogates and control characters too', () => {
    for (let code = 0; code <= 0xffff; code += 13) {
      const tokens = estimateText(String.fromCharCode(code))
      expect(tokens).toBeGreaterThan(0.1)
      expect(tokens).toBeLessThan(2)
    }
  })

  test('what a provider adds for tools is not multiplied by what follows', () => {
    const reported = { tokens: 3000, estimate: 1000 }
    expect(toTokens(reported, 1000)).toBe(3000)
    expect(toTokens(reported, 21_000)).toBe(23_000)
  })

  test('a request that became shorter is measured in proportion, and is never nothing', () => {
    const reported = { tokens: 30_000, estimate: 40_000 }
    expect(toTokens(reported, 4000)).toBe(3000)
    expect(toTokens(reported, 1)).toBe(1)
  })

  test('a report that cannot be is believed only so far', () => {
    expect(correctionOf({ tokens: 1, estimate: 1000 })).toBe(0.25)
    expect(correctionOf({ tokens: 1_000_000, estimate: 1000 })).toBe(4)
    expect(toTokens({ tokens: 1, estimate: 1000 }, 1500)).toBe(750)
    // Four times as much, and what it may have put around it.
    expect(toTokens({ tokens: 1_000_000, estimate: 1000 }, 1500)).toBe(4000 + 4096 + 500)
    for (const nothing of [null, { tokens: 0, estimate: 0 }, { tokens: 9, estimate: 0 }]) {
      expect(correctionOf(nothing)).toBe(1)
      expect(toTokens(nothing, 1500)).toBe(1500)
    }
  })
})

/** The second question, in a window of this size, after a first one that took so much. */
async function askTwice(window: number, reported: number): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  harness.model = new ScriptedModel('scripted', { window })
  for (const text of ['the first question '.repeat(100), 'the second question']) {
    harness.command({ type: 'send', text })
    await harness.settle()
    if (text.includes('second')) break
    const usage = { inputTokens: reported, outputTokens: 4, cachedTokens: 0 }
    harness.model.current.text('The first answer.').finishWith(usage)
    await harness.settle()
  }
  return harness
}

const isSummary = (harness: SessionHarness): boolean =>
  harness.model.current.request.system === 'You summarise conversations.'

describe('[RUN8] near the window', () => {
  test('it is the provider’s count that makes the object make room, not ours', async () => {
    const { request } = (await askTwice(1_000_000, 100)).model.current
    const counted = estimateRequest(request)
    // By our count the window is half full, or twice as full as it can be.
    const half = 2 * counted
    expect(isSummary(await askTwice(half, COMPACT_AT * half))).toBe(true)
    expect(isSummary(await askTwice(half, counted))).toBe(false)
    const double = counted / 2
    expect(isSummary(await askTwice(double, counted))).toBe(true)
    expect(isSummary(await askTwice(double, counted * 0.25))).toBe(false)
  })
})

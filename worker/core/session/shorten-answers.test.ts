import { describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { TOOL_OUTPUT_BYTES } from '#protocol/limits'
import { ScriptedModel, type ModelCall } from '../../testing/node/scripted-model.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { estimateMessage, estimateRequest } from './context.ts'
import { ModelError, type ModelMessage } from './model.ts'
import { shortenAnswers } from './shorten-answers.ts'

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

const warned = (harness: SessionHarness): string[] => of(harness, 'warning').map(({ code }) => code)

const answers = (...texts: string[]): ModelMessage => ({
  role: 'tool',
  results: texts.map((text, at) => ({ callId: `c${at}`, toolName: 'look', ok: true, text })),
})

const textsOf = (message: ModelMessage | undefined): string[] =>
  message?.role === 'tool' ? message.results.map(({ text }) => text) : []

/** Words that say where they stood. */
const words = (count: number): string => Array.from({ length: count }, (_, i) => `w${i}`).join(' ')

describe('[RUN8] answers that the window has no room for', () => {
  test('what fits is left as it is, however much there is of other words', () => {
    const messages = [{ role: 'user', text: words(5000) } as const, answers('short', words(50))]
    expect(shortenAnswers(messages, 1000)).toBe(messages)
  })

  test('of the longest the ends stay, and how much is gone is said; short ones stay whole', () => {
    const long = words(5000)
    const [message] = shortenAnswers([answers('short', long, words(6000))], 2000)
    const [first, second, third] = textsOf(message)
    expect(first).toBe('short')
    expect(second).toMatch(/^w0 w1 w2 [^]*\[… \d+ of \d+ characters left out[^]* w4998 w4999$/)
    expect(third).toMatch(/^w0 w1 w2 [^]* w5999$/)
    const [, left, all] = /\[… (\d+) of (\d+) /.exec(second!)!
    expect(Number(all)).toBe(long.length)
    const kept = second!.replace(/\n\[…[^\]]*…\]\n/, '')
    expect(kept.length + Number(left)).toBe(long.length)
  })

  test('random answers fit into their share, keep their calls, and are cut the same each time', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const random = new RandomSource(seed)
      const room = 500 + random.below(40_000)
      const texts = Array.from({ length: 1 + random.below(12) }, () =>
        random.pick(['ab ', '漢', '😀', '{"a":1},']).repeat(random.below(8000)),
      )
      const message = answers(...texts)
      const [short] = shortenAnswers([message], room)
      const again = shortenAnswers([structuredClone(message)], room)
      expect(again, `seed ${seed}`).toEqual([short])
      expect(JSON.stringify(short).isWellFormed()).toBe(true)
      // Each note takes its own place even where there is none.
      const most = Math.max(256, 0.6 * room) + 60 * texts.length
      expect(estimateMessage(short!), `seed ${seed}`).toBeLessThanOrEqual(most)
      expect(textsOf(short)).toHaveLength(texts.length)
      for (const [at, text] of textsOf(short).entries()) {
        if (text !== texts[at]) expect(text).toContain('characters left out')
      }
    }
  })
})

const isSummary = ({ request }: ModelCall): boolean =>
  request.system === 'You summarise conversations.'

/** A provider with a window of its own, whatever is known of it here. Returns the steps it took. */
async function serve(
  harness: SessionHarness,
  window: number,
  script: (call: ModelCall, step: number) => void,
): Promise<ModelCall[]> {
  const steps: ModelCall[] = []
  while (harness.model.isCalled) {
    const { current } = harness.model
    expect(findRequestProblem(current.request.messages)).toBe(null)
    if (estimateRequest(current.request) > window) {
      current.fail(new ModelError('model_context_overflow', 'too long'))
    } else if (isSummary(current)) current.text('what was said').finishWith(null)
    else {
      steps.push(current)
      script(current, steps.length)
    }
    // oxlint-disable-next-line no-await-in-loop
    await harness.settle()
  }
  return steps
}

const callTools = (call: ModelCall, ids: readonly string[]): void => {
  for (const id of ids) call.emit({ type: 'tool_call', id, toolName: 'look', arguments: '{}' })
  call.finishWith(null, 'tool_calls')
}

const LONG = 'word '.repeat(TOOL_OUTPUT_BYTES / 5)

/** Asks; the model makes these calls, each of which gives as much as one may, and then answers. */
async function lookAround(known: number, window: number, ids: readonly string[]) {
  const harness = await SessionHarness.create()
  harness.model = new ScriptedModel('scripted', { window: known })
  harness.command({ type: 'send', text: 'Look around, please.' })
  await harness.settle()
  await serve(harness, window, (call) => callTools(call, ids))
  for (const run of harness.tools.open) run.settle({ ok: true, result: LONG })
  await harness.settle()
  return harness
}

const WINDOWS: [name: string, known: number, window: number, calls: number][] = [
  ['one result in a window of 8,192', 8192, 8192, 1],
  ['six parallel results in a window of 32,768', 32_768, 32_768, 6],
  ['forty parallel results in a window of 8,192', 8192, 8192, 40],
  ['one result, and a window that is smaller than we know', 1_000_000, 8192, 1],
  ['six results, and a window that is smaller than we know', 128_000, 32_768, 6],
]

describe('[RUN8] [TOOL3] a run whose results are larger than the window', () => {
  for (const [name, known, window, calls] of WINDOWS) {
    test(`${name}: goes on with their ends, and people are told once`, async () => {
      const ids = Array.from({ length: calls }, (_, i) => `c${i}`)
      const harness = await lookAround(known, window, ids)
      const steps = await serve(harness, window, (call, step) => {
        if (step === 1) callTools(call, ['again'])
      })
      for (const run of harness.tools.open) run.settle({ ok: true, result: 'a little' })
      await harness.settle()
      await serve(harness, window, (call) => call.text('I have seen it.').finishWith(null))
      expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
      expect(warned(harness).filter((code) => code === 'results_shortened')).toHaveLength(1)
      expect(warned(harness)).not.toContain('compaction_failed')
      const results = of(harness, 'tool_result').slice(0, calls)
      expect(results.map(({ result }) => result)).toEqual(ids.map(() => LONG))
      const given = steps[0]!.request.messages.findLast(({ role }) => role === 'tool')
      expect(textsOf(given)).toHaveLength(calls)
      for (const text of textsOf(given)) expect(text).toContain('characters left out')
      if (calls === 1) expect(textsOf(given)[0]).toMatch(/^word word [^]*word word $/)
    })
  }

  test('[RUN9] an object that wakes asks for the same again', async () => {
    const harness = await lookAround(8192, 8192, ['a', 'b'])
    const before = harness.model.current.request
    harness.crash()
    await harness.settle()
    expect(harness.model.current.request.messages).toEqual(before.messages)
    expect(warned(harness)).toEqual(['results_shortened'])
    harness.model.current.text('I have seen it.').finishWith(null)
    await harness.settle()
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('[RUN7] a model with more room that takes over is given all of it', async () => {
    const harness = await lookAround(1_000_000, 8192, ['a'])
    harness.fallbacks = ['backup']
    harness.crash()
    await harness.settle()
    await serve(harness, 10, () => expect.unreachable())
    expect(of(harness, 'model_fallback')).toMatchObject([{ actual: 'backup' }])
    // The summary, too, was more than the first could read.
    harness.backup.current.text('what was said').finishWith(null)
    await harness.settle()
    const { messages } = harness.backup.current.request
    expect(textsOf(messages.findLast(({ role }) => role === 'tool'))).toEqual([LONG])
  })

  test('no summary is made of nothing but the one before', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'Tell me.' })
    await harness.settle()
    await serve(harness, 8192, (call) => call.text(words(200)).finishWith(null))
    for (const code of ['none', 'nothing_to_compact']) {
      harness.command({ type: 'compact' })
      // oxlint-disable-next-line no-await-in-loop
      await harness.settle()
      // oxlint-disable-next-line no-await-in-loop
      await serve(harness, 8192, () => expect.unreachable())
      expect(warned(harness)).toEqual(code === 'none' ? [] : [code])
    }
    expect(of(harness, 'compacted')).toHaveLength(1)
    expect(harness.model.calls.filter(isSummary)).toHaveLength(1)
  })

  test('what is in the window is measured as it is sent', async () => {
    const harness = await lookAround(8192, 8192, ['a'])
    const sent = estimateRequest(harness.model.current.request)
    harness.model.current.text('Seen.').finishWith(null)
    await harness.settle()
    const { tokens } = of(harness, 'context_usage').at(-1)!
    expect(Math.abs(tokens - sent)).toBeLessThan(20)
    expect(of(harness, 'compacted')).toEqual([])
  })
})

describe('[RUN8] [RUN10] a model without tools', () => {
  test('is not held to be full of tools that it is never told of', async () => {
    const harness = await SessionHarness.create()
    harness.model = new ScriptedModel('scripted', { window: 4096, tools: false })
    const inputSchema = { type: 'object', description: words(2500) }
    harness.tools.offered = [{ name: 'look', description: 'Looks.', inputSchema }]
    for (let turn = 0; turn < 4; turn++) {
      harness.command({ type: 'send', text: `question ${turn}` })
      // oxlint-disable-next-line no-await-in-loop
      await harness.settle()
      expect(isSummary(harness.model.current)).toBe(false)
      expect(harness.model.current.request.tools).toEqual([])
      harness.model.current.text('an answer').finishWith(null)
      // oxlint-disable-next-line no-await-in-loop
      await harness.settle()
    }
    expect(of(harness, 'compacted')).toEqual([])
    expect(warned(harness)).toEqual(['no_tool_support'])
    expect(of(harness, 'context_usage').at(-1)?.tokens).toBeLessThan(2000)
  })
})

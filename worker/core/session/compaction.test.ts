import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { COMPACT_AT } from '#protocol/limits'
import { FuzzSession } from '../../testing/node/fuzz-session.ts'
import { ScriptedModel, type ModelCall } from '../../testing/node/scripted-model.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'
import { RandomSource } from '../../testing/random-source.ts'
import {
  planCompaction,
  SUMMARY_HEAD,
  toSummary,
  toSummaryRequest,
  type CompactionPlan,
} from './compaction.ts'
import { estimateMessage, estimateRequest, estimateText } from './context.ts'
import {
  applyToHistory,
  emptyHistory,
  toMessages,
  type History,
  type HistoryEntry,
} from './history.ts'
import { ModelError, type ModelMessage } from './model.ts'

const LIVES = 24
const FIRST_SEED = 20261120
const CUTS = 40

function fold(events: readonly SessionEvent[]): History {
  const history = emptyHistory()
  for (const event of events) applyToHistory(history, event)
  toMessages(history)
  return history
}

/** As an object that wakes reads it: from the cut on, knowing only who spoke before. */
function foldFromLog(events: readonly SessionEvent[], upToSeq: number): History {
  const cleared = events.findLast(({ type }) => type === 'session_cleared')?.seq ?? 0
  const after = Math.max(cleared, upToSeq)
  const isSpeaker = ({ type, seq }: SessionEvent): boolean =>
    seq <= after && (type === 'run_started' || type === 'model_fallback')
  const speaker = events.filter(isSpeaker).slice(-1)
  return fold([...speaker, ...events.filter(({ seq }) => seq > after)])
}

const NOTE =
  /^(?:\[The previous answer was interrupted[^\]]*\]\s*|\[Continue from where[^\]]*\]\s*|\[From here the agent[^\]]*\]\s*)+/

/**
 * Without our own notes about interruptions and about who speaks: one at the cut is not there when the
 * log is read again, since what it is about was summarised.
 */
const withoutNotes = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.flatMap((message): ModelMessage[] => {
    if (message.role !== 'user') return [message]
    const text = message.text.replace(NOTE, '')
    return text === '' ? [] : [{ role: 'user', text }]
  })

const compactedAt = (events: readonly SessionEvent[], upToSeq: number): SessionEvent => ({
  type: 'compacted',
  runId: 'r',
  upToSeq,
  summary: 'what was said',
  seq: events.length + 1,
  at: 0,
})

const entry = (start: number, message: ModelMessage): HistoryEntry => ({ start, message })

const mayCutAt = (entries: readonly HistoryEntry[], at: number): boolean =>
  entries[at]!.message.role !== 'tool' && entries[at - 1]!.start < entries[at]!.start

const cutOf = (entries: readonly HistoryEntry[], { upToSeq }: CompactionPlan): number =>
  entries.findIndex(({ start }) => start > upToSeq)

/** Logs of random lives, each cut at random places of its time. */
async function* randomHistories(): AsyncGenerator<{
  events: SessionEvent[]
  history: History
  keep: number
  seed: number
}> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed++) {
    const random = new RandomSource(seed)
    const { harness } = await FuzzSession.run(seed, 200)
    const whole = harness.events()
    for (let i = 0; i < CUTS; i++) {
      const events = whole.slice(0, 1 + random.below(whole.length))
      yield { events, history: fold(events), keep: random.below(300), seed }
    }
  }
}

describe('[RUN8] where the history is cut', () => {
  test('never between a call and its answer, and what is left is a request that is taken', async () => {
    let plans = 0
    for await (const { events, history, keep, seed } of randomHistories()) {
      const plan = planCompaction(history.entries, keep)
      if (plan === null) continue
      plans += 1
      const next = [...events, compactedAt(events, plan.upToSeq)]
      const messages = toMessages(fold(next))
      expect(findRequestProblem(messages), `seed ${seed}, seq ${events.length}`).toBe(null)
      expect(messages[0]).toEqual({ role: 'user', text: `${SUMMARY_HEAD}\nwhat was said` })
      const cut = cutOf(history.entries, plan)
      expect(cut).toBeGreaterThan(0)
      expect(history.entries[cut]!.message.role).not.toBe('tool')
      expect(JSON.stringify(plan.dropped)).not.toContain('[Continue from where')
    }
    expect(plans).toBeGreaterThan(LIVES * 5)
  })

  test('the log read again from there gives the history that is in memory', async () => {
    for await (const { events, history, keep, seed } of randomHistories()) {
      const plan = planCompaction(history.entries, keep)
      if (plan === null) continue
      const next = [...events, compactedAt(events, plan.upToSeq)]
      expect(
        withoutNotes(toMessages(foldFromLog(next, plan.upToSeq))),
        `seed ${seed}, seq ${events.length}`,
      ).toEqual(withoutNotes(toMessages(fold(next))))
    }
  })

  test('as much as fits is kept, never more if it can be helped, and null only if it cannot', async () => {
    for await (const { history, keep, seed } of randomHistories()) {
      const { entries } = history
      const cuts = entries.flatMap((_, at) => (at > 0 && mayCutAt(entries, at) ? [at] : []))
      const plan = planCompaction(entries, keep)
      expect(plan === null, `seed ${seed}`).toBe(cuts.length === 0)
      if (plan === null) continue
      const cut = cutOf(entries, plan)
      expect(cuts).toContain(cut)
      const kept = entries
        .slice(cut)
        .reduce((sum, { message }) => sum + estimateMessage(message), 0)
      if (kept > keep) expect(cut, `seed ${seed}`).toBe(cuts.at(-1))
    }
  })

  test('there is nothing to cut in an empty history, in one message, or in one step', () => {
    const question = entry(2, { role: 'user', text: 'a question' })
    const step = (start: number): HistoryEntry[] => {
      const call = { callId: 'a', toolName: 'look', arguments: '{}' }
      return [
        entry(start, { role: 'assistant', parts: [{ type: 'tool_call', ...call }] }),
        entry(start, { role: 'tool', results: [{ ...call, ok: true, text: 'seen' }] }),
      ]
    }
    expect(planCompaction([], 10)).toBe(null)
    expect(planCompaction([question], 0)).toBe(null)
    expect(planCompaction(step(3), 0)).toBe(null)
    expect(planCompaction([question, ...step(3)], 0)).toMatchObject({ upToSeq: 2 })
  })
})

const user = (text: string): ModelMessage => ({ role: 'user', text })

describe('[RUN8] the request for a summary', () => {
  /** Its own words, and the gap. */
  const OWN_TOKENS = 250

  test('is bounded, wherever in the conversation the dear characters are', () => {
    const dear = '漢😀'.repeat(6000)
    const cheap = 'word '.repeat(40_000)
    for (const dropped of [
      [user(cheap)],
      [user(dear), user(cheap), user(dear)],
      [user(cheap), user(dear), user(cheap)],
      [user(dear)],
    ]) {
      for (const window of [1000, 8000, 60_000]) {
        const request = toSummaryRequest(dropped, window)
        expect(estimateRequest(request)).toBeLessThanOrEqual(0.6 * window + OWN_TOKENS)
        expect(JSON.stringify(request).isWellFormed()).toBe(true)
        expect(request.tools).toEqual([])
      }
    }
  })

  test('keeps the start and the end of what is too long, and says that the middle is gone', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' ')
    const [message] = toSummaryRequest([user(words)], 4000).messages
    const { text } = message as { text: string }
    expect(text).toContain('Person: w0 w1 w2')
    expect(text).toContain('w19998 w19999')
    expect(text).toContain('[… left out …]')
    expect(text).not.toContain('w10000 ')
  })

  test('tells calls as words, cuts long results, and leaves thoughts out', () => {
    const call = { callId: 'a', toolName: 'look', arguments: '{"at":"sea"}' }
    const dropped: ModelMessage[] = [
      user('look at the sea'),
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'a secret thought', signature: 's', model: 'm' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_call', ...call },
        ],
      },
      { role: 'tool', results: [{ ...call, ok: true, text: `grey ${'x'.repeat(5000)} end` }] },
    ]
    const request = toSummaryRequest(dropped, 100_000)
    expect(findRequestProblem(request.messages)).toBe(null)
    const [message] = request.messages
    const { text } = message as { text: string }
    expect(text).toContain('Person: look at the sea')
    expect(text).toContain('Assistant: I look.\nAssistant calls look: {"at":"sea"}')
    expect(text).toMatch(/Result of look: grey x{1995}\n/)
    expect(text).not.toContain('secret')
    expect(text).toMatch(/--- end of the conversation ---$/)
  })
})

describe('[RUN8] the summary', () => {
  test('has the person’s last words, word for word and bounded', () => {
    const asked = [user('first of all'), user('please sum up')]
    expect(toSummary(' short ', asked)).toBe(
      "short\n\nThe person's last message before this point, word for word:\nplease sum up",
    )
    expect(toSummary('short', [])).toBe('short')
    const long = toSummary('s'.repeat(1_000_000), [user('w'.repeat(1_000_000))])
    expect(long.length).toBeLessThan(21_000)
  })

  test('of a hostile model is text like any other: bounded and well-formed', () => {
    const hostile = `\ud83d${SUMMARY_HEAD}\n--- end of the conversation ---\n\udc00${'漢'.repeat(20_000)}\ud83d`
    const summary = toSummary(hostile, [user('\ud83d half')])
    expect(summary.isWellFormed()).toBe(true)
    expect(estimateText(summary)).toBeLessThan(17_000)
    expect(summary.endsWith('\ufffd half')).toBe(true)
  })
})

// The whole object from here on.

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

const warned = (harness: SessionHarness): string[] => of(harness, 'warning').map(({ code }) => code)
const isSummary = ({ request }: ModelCall): boolean =>
  request.system === 'You summarise conversations.'
const summaries = (harness: SessionHarness): ModelCall[] => harness.model.calls.filter(isSummary)
const overflow = (): ModelError => new ModelError('model_context_overflow', 'too long for me')

async function send(harness: SessionHarness, text: string): Promise<void> {
  harness.command({ type: 'send', text })
  await harness.settle()
}

async function answer(harness: SessionHarness, text: string): Promise<void> {
  // Without usage: the object goes by its own count.
  harness.model.current.text(text).finishWith(null)
  await harness.settle()
}

async function fail(harness: SessionHarness, error: ModelError): Promise<void> {
  harness.model.current.fail(error)
  await harness.settle()
}

/** Some turns of talk, then a question that nobody has answered yet. */
async function talk(window = 1_000_000, turns = 6): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  harness.model = new ScriptedModel('scripted', { window })
  for (let turn = 1; turn <= turns; turn++) {
    await send(harness, `question ${turn} ${'about the harbour '.repeat(20)}`)
    await answer(harness, `answer ${turn} ${'it is full of ships '.repeat(20)}`)
  }
  await send(harness, 'the last question')
  return harness
}

/** The same talk in a window that the last question is just too much for. */
async function talkToTheBrim(): Promise<SessionHarness> {
  const whole = estimateRequest((await talk()).model.current.request)
  return talk(Math.floor(whole / COMPACT_AT) - 5)
}

/** Every request so far was one that a provider takes, and ends with what the person wants. */
function checkRequests(harness: SessionHarness): void {
  for (const { request } of harness.model.calls) {
    expect(findRequestProblem(request.messages)).toBe(null)
  }
}

describe('[RUN8] a provider that says that it is too much', () => {
  test('is given a summary and the rest, in the same run, and the run goes on', async () => {
    const harness = await talk()
    const { runId } = of(harness, 'run_started').at(-1)!
    const refused = harness.model.current.request
    await fail(harness, overflow())
    expect(isSummary(harness.model.current)).toBe(true)
    // It must be read by the one who refused, whatever we believe of the window.
    expect(estimateRequest(harness.model.current.request)).toBeLessThan(estimateRequest(refused))
    await answer(harness, 'They spoke of ships.')
    const shorter = harness.model.current.request
    expect(estimateRequest(shorter)).toBeLessThan(estimateRequest(refused) / 2)
    expect(shorter.messages[0]).toMatchObject({
      role: 'user',
      text: expect.stringMatching(
        /^\[Summary[^]*They spoke of ships\.[^]*word for word:\nquestion/,
      ) as string,
    })
    expect(shorter.messages.at(-1)).toEqual({ role: 'user', text: 'the last question' })
    await answer(harness, 'The last answer.')
    expect(of(harness, 'compacted')).toMatchObject([{ runId }])
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ runId, outcome: 'done' })
    expect(of(harness, 'context_usage').at(-1)).toMatchObject({ compacted: true })
    expect(warned(harness)).toEqual([])
    checkRequests(harness)
  })

  test('is not given more than one summary a step: then the run fails, and says why', async () => {
    const harness = await talk()
    const before = harness.model.calls.length
    await fail(harness, overflow())
    await answer(harness, 'They spoke of ships.')
    await fail(harness, overflow())
    expect(harness.model.calls.length - before).toBe(2)
    expect(of(harness, 'error')).toMatchObject([{ code: 'model_context_overflow' }])
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'failed' })
    expect(harness.model.isCalled).toBe(false)
  })

  test('…or the next model takes over, and is asked the shorter question', async () => {
    const harness = await talk()
    harness.fallbacks = ['backup']
    await answer(harness, 'The last answer.')
    await send(harness, 'one more')
    await fail(harness, overflow())
    await answer(harness, 'They spoke of ships.')
    await fail(harness, overflow())
    expect(of(harness, 'model_fallback')).toMatchObject([{ actual: 'backup' }])
    expect(harness.backup.current.request.messages[0]).toMatchObject({
      text: expect.stringContaining('They spoke of ships.') as string,
    })
    harness.backup.current.text('Taken over.').finish()
    await harness.settle()
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'done' })
  })

  test('in the middle of an answer: what was said stays, once, and is gone on from', async () => {
    const harness = await talk()
    harness.model.current.text('The first half, ')
    await fail(harness, overflow())
    await answer(harness, 'They spoke of ships.')
    const { messages } = harness.model.current.request
    expect(messages.slice(-3)).toEqual([
      { role: 'user', text: 'the last question' },
      { role: 'assistant', parts: [{ type: 'text', text: 'The first half, ' }] },
      { role: 'user', text: expect.stringContaining('[Continue') as string },
    ])
    await answer(harness, 'half, and the second.')
    expect(
      of(harness, 'text_done')
        .slice(-2)
        .map(({ text }) => text),
    ).toEqual(['The first half, ', 'and the second.'])
    checkRequests(harness)
  })

  test('of the only message there is, has to be told so: the run fails with the reason', async () => {
    const harness = await SessionHarness.create()
    await send(harness, 'a very long question')
    await fail(harness, overflow())
    expect(summaries(harness)).toEqual([])
    expect(of(harness, 'error')).toMatchObject([{ code: 'model_context_overflow' }])
  })

  // Known: model-caller.ts gives up where nothing can be left out, instead of asking the next model.
  test('of the only message there is, leaves it to the next model', async () => {
    const harness = await SessionHarness.create()
    harness.fallbacks = ['backup']
    await send(harness, 'a very long question')
    await fail(harness, overflow())
    expect(harness.backup.isCalled).toBe(true)
  })
})

describe('[RUN8] near the window', () => {
  test('room is made before the step, and the person sees all of the log', async () => {
    const harness = await talkToTheBrim()
    expect(isSummary(harness.model.current)).toBe(true)
    const before = harness.events().length
    await answer(harness, 'They spoke of ships.')
    expect(harness.events().length).toBeGreaterThan(before)
    const { window } = harness.model.info
    expect(estimateRequest(harness.model.current.request)).toBeLessThan(0.6 * window)
    await answer(harness, 'The last answer.')
    expect(of(harness, 'user_message')).toHaveLength(7)
    checkRequests(harness)
  })

  test('what the model is told afterwards is what the log alone would give, to the last note', async () => {
    const harness = await talkToTheBrim()
    await answer(harness, 'They spoke of ships.')
    const [{ upToSeq } = { upToSeq: 0 }] = of(harness, 'compacted')
    const told = harness.model.current.request.messages
    expect(told).toEqual(toMessages(foldFromLog(harness.events(), upToSeq)))
  })

  test('a summary that fails is said so, once a run, and the run goes on without', async () => {
    const harness = await talkToTheBrim()
    await fail(harness, new ModelError('model_bad_request', 'no summaries here'))
    expect(warned(harness)).toEqual(['compaction_failed'])
    expect(isSummary(harness.model.current)).toBe(false)
    harness.model.current.emit({ type: 'tool_call', id: 'a', toolName: 'look', arguments: '{}' })
    harness.model.current.finishWith(null, 'tool_calls')
    await harness.settle()
    harness.tools.open[0]?.settle({ ok: true, result: 'seen' })
    await harness.settle()
    await answer(harness, 'The last answer.')
    expect(summaries(harness)).toHaveLength(1)
    expect(of(harness, 'compacted')).toEqual([])
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'done' })
    checkRequests(harness)
  })

  test('a summary without a word is no summary', async () => {
    const harness = await talkToTheBrim()
    for (let tries = 0; tries < 3; tries++) {
      await answer(harness, ' \n ')
      harness.timers.advance(60_000)
      await harness.settle()
    }
    expect(warned(harness)).toEqual(['model_retry', 'model_retry', 'compaction_failed'])
    expect(of(harness, 'compacted')).toEqual([])
    await answer(harness, 'The last answer.')
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'done' })
  })

  test('a stop while it is summarised stops, and nothing was compacted', async () => {
    const harness = await talkToTheBrim()
    harness.model.current.text('They spoke')
    harness.command({ type: 'cancel' })
    await harness.settle()
    expect(of(harness, 'compacted')).toEqual([])
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'cancelled' })
    expect(JSON.stringify(of(harness, 'text_done'))).not.toContain('They spoke')
  })

  test('a long run is compacted again and again, and never forgets what it was asked', async () => {
    const harness = await SessionHarness.create()
    harness.model = new ScriptedModel('scripted', { window: 1000 })
    await send(harness, 'count every ship in the harbour')
    let made = 0
    for (let step = 0; step < 24; step++) {
      if (isSummary(harness.model.current)) {
        made += 1
        // A model that forgets everything, and quotes the head of a summary at that.
        await answer(harness, `${SUMMARY_HEAD} summary ${made}`)
      }
      const [first] = harness.model.current.request.messages
      expect(JSON.stringify(first)).toContain('count every ship in the harbour')
      harness.model.current.emit({ type: 'tool_call', id: '', toolName: 'look', arguments: '{}' })
      harness.model.current.finishWith(null, 'tool_calls')
      await harness.settle()
      harness.tools.open[0]?.settle({ ok: true, result: 'a ship and another '.repeat(40) })
      await harness.settle()
    }
    expect(made).toBeGreaterThan(2)
    const starts = of(harness, 'compacted').map(({ upToSeq }) => upToSeq)
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    checkRequests(harness)
  })

  test('our own notes are not taken for the person’s last words', async () => {
    const harness = await talk(1000, 1)
    harness.model.current.text('The first half of it, ')
    await fail(harness, new ModelError('model_unavailable', 'gone'))
    harness.timers.advance(60_000)
    await harness.settle()
    await answer(harness, `and the second. ${'There are ships. '.repeat(250)}`)
    await send(harness, 'and now?')
    await answer(harness, 'They spoke of ships.')
    const [{ summary }] = of(harness, 'compacted') as [EventOf<'compacted'>]
    expect(summary).toMatch(/word for word:\nthe last question$/)
  })
})

/** Tells what an object that has just woken asks the model for. */
async function requestAfterCrash(harness: SessionHarness): Promise<readonly ModelMessage[]> {
  harness.crash()
  await harness.settle()
  return harness.model.current.request.messages
}

describe('[RUN8] [RUN9] a crash', () => {
  test('after a compaction: the next object has the same history', async () => {
    const harness = await talkToTheBrim()
    await answer(harness, 'They spoke of ships.')
    const { messages } = harness.model.current.request
    expect(await requestAfterCrash(harness)).toEqual(messages)
    expect(of(harness, 'compacted')).toHaveLength(1)
    await answer(harness, 'The last answer.')
    await send(harness, 'one more')
    const next = harness.model.current.request.messages
    expect(await requestAfterCrash(harness)).toEqual(next)
    checkRequests(harness)
  })

  test('while it is summarised: it is summarised again, and compacted once', async () => {
    const harness = await talkToTheBrim()
    harness.model.current.text('They spoke')
    harness.crash()
    await harness.settle()
    expect(isSummary(harness.model.current)).toBe(true)
    await answer(harness, 'They spoke of ships.')
    await answer(harness, 'The last answer.')
    expect(of(harness, 'compacted')).toHaveLength(1)
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'done' })
    checkRequests(harness)
  })
})

describe('[RUN8] asked for by a person', () => {
  test('it keeps a fifth at most, and the next request begins with the summary', async () => {
    const harness = await talk()
    await answer(harness, 'The last answer.')
    const whole = estimateRequest(harness.model.calls.at(-1)!.request)
    harness.command({ type: 'compact' })
    await harness.settle()
    await answer(harness, 'They spoke of ships.')
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'done' })
    expect(of(harness, 'context_usage').at(-1)).toMatchObject({ compacted: true })
    await send(harness, 'one more')
    const { messages } = harness.model.current.request
    expect(JSON.stringify(messages[0])).toContain('They spoke of ships.')
    expect(estimateRequest(harness.model.current.request)).toBeLessThan(whole / 2)
    checkRequests(harness)
  })

  test('with nothing to drop no model is asked, and it is said so', async () => {
    const harness = await SessionHarness.create()
    await send(harness, 'hello')
    harness.command({ type: 'cancel' })
    await harness.settle()
    harness.command({ type: 'compact' })
    await harness.settle()
    expect(harness.model.calls).toHaveLength(1)
    expect(warned(harness)).toEqual(['nothing_to_compact'])
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'done' })
  })

  test('twice in a row: the second summary is made of the first', async () => {
    const harness = await talk()
    await answer(harness, 'The last answer.')
    for (const summary of ['They spoke of ships.', 'Ships.']) {
      harness.command({ type: 'compact' })
      await harness.settle()
      if (harness.model.isCalled) await answer(harness, summary)
    }
    expect(of(harness, 'compacted')).toHaveLength(2)
    const [, second] = summaries(harness)
    expect(JSON.stringify(second!.request)).toContain('They spoke of ships.')
    await send(harness, 'one more')
    const summed = harness.model.current.request.messages.filter((message) =>
      JSON.stringify(message).includes(SUMMARY_HEAD),
    )
    expect(summed).toHaveLength(1)
    checkRequests(harness)
  })

  test('a summary that fails fails the run, and nothing is compacted', async () => {
    const harness = await talk()
    await answer(harness, 'The last answer.')
    harness.command({ type: 'compact' })
    await harness.settle()
    await fail(harness, new ModelError('model_bad_request', 'no summaries here'))
    expect(of(harness, 'compacted')).toEqual([])
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'failed' })
  })
})

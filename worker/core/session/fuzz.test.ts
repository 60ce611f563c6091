import { describe, expect, test } from 'vitest'
import { applyEvent, fold } from '#protocol/reduce'
import { parseResponseId } from '#protocol/ids'
import { applyFragment, EMPTY_TAIL, viewOpen } from '#protocol/live'
import { EMPTY_STATE, hot, type SessionState } from '#protocol/state'
import type { SessionEvent } from '#protocol/events'
import { FuzzSession } from '../../testing/node/fuzz-session.ts'
import { findAnthropicProblem } from '../../testing/node/valid-anthropic.ts'
import { findOpenAiProblem } from '../../testing/node/valid-openai.ts'
import { Log } from './log.ts'

const RUNS = 320
const STEPS = 150
const FIRST_SEED = 20261118

/**
 * Seeds that once failed: a provider's call id used twice, and once more after a clear; a steered
 * answer opened by a delta.
 */
const PINNED = [20261262, 20261351, 20262020, 20262494, 20261385]

const runIdOf = (event: SessionEvent): string | null => {
  if ('runId' in event && typeof event.runId === 'string') return event.runId
  return 'responseId' in event ? parseResponseId(event.responseId).runId : null
}

/** What the lives have been through: a fuzz that never meets a thing proves nothing about it. */
const met = new Map<string, number>()

function note(event: SessionEvent): void {
  const isDenied = event.type === 'tool_result' && event.error?.code === 'tool_denied'
  const what = isDenied ? 'a denial' : event.type
  noteAs(what)
}

const noteAs = (what: string): void => void met.set(what, (met.get(what) ?? 0) + 1)

async function check(seed: number): Promise<void> {
  const fuzz = await FuzzSession.run(seed, STEPS)
  await fuzz.converge()
  const { harness } = fuzz
  const events = harness.events()
  for (const event of events) note(event)
  const full = fold(events)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  checkStates(fuzz, full, events)
  checkRuns(events)
  checkMessages(fuzz, full, events)
  checkMissions(events)
  checkAddressees(events)
  if (fuzz.crashes === 0) checkText(fuzz)
  checkTools(fuzz)
  for (const { request } of fuzz.calls) {
    expect(await findOpenAiProblem(request)).toBe(null)
    expect(await findAnthropicProblem(request)).toBe(null)
  }
}

/** What cannot be repeated was begun once, and where people are asked only after one said yes. */
function checkTools(fuzz: FuzzSession): void {
  const begun = fuzz.harness.tools.runs.filter(({ toolName }) => toolName === 'tool')
  const ids = begun.map(({ callId }) => callId)
  expect(new Set(ids).size).toBe(ids.length)
  if (!fuzz.harness.tools.actions.has('tool')) return
  const accepted = fuzz.harness
    .events()
    .flatMap((event) =>
      event.type === 'decision_resolved' && event.status === 'accepted' ? [event.callId] : [],
    )
  expect(ids.filter((id) => !accepted.includes(id))).toEqual([])
}

/** Not one character of what the model said is missing, doubled or out of order. */
function checkText(fuzz: FuzzSession): void {
  fuzz.harness.command({ type: 'cancel' })
  const texts = fuzz.harness
    .events()
    .flatMap((event) => (event.type === 'text_done' ? [event.text] : []))
  expect(texts.join('')).toBe(fuzz.said)
}

function checkStates(fuzz: FuzzSession, full: SessionState, events: SessionEvent[]): void {
  const { core } = fuzz.harness
  expect(core.folded).toEqual({ ...full, turns: [] })
  expect(new Log(fuzz.harness.database).load()?.hot).toEqual(hot(full))
  const fresh = fuzz.harness.connect(events.length)
  const live = fresh.last('ready').fragments.reduce(applyFragment, EMPTY_TAIL)
  for (const { model } of fuzz.clients) {
    expect(model.view.state).toEqual(full)
    expect(model.view.open).toEqual(viewOpen(full, live))
    expect(model.view.loaded).toBe(true)
  }
}

/** One end per run, and nothing of it afterwards. */
function checkRuns(events: SessionEvent[]): void {
  const ended = new Set<string>()
  for (const event of events) {
    const runId = runIdOf(event)
    if (runId === null) continue
    expect(ended.has(runId), `${event.type} ${event.seq} after its run ended`).toBe(false)
    if (event.type === 'run_done') ended.add(runId)
  }
}

/** Acknowledged once means there once: delivered, waiting, or taken back by a person. */
function checkMessages(fuzz: FuzzSession, full: SessionState, events: SessionEvent[]): void {
  const delivered = events.flatMap((event) =>
    event.type === 'user_message' ? [event.messageId] : [],
  )
  expect(new Set(delivered).size).toBe(delivered.length)
  const queued = full.queue.items.map(({ itemId }) => itemId)
  expect(queued.filter((id) => delivered.includes(id))).toEqual([])
  const everQueued = new Set(
    events.flatMap((event) =>
      event.type === 'queue_updated' ? event.items.map(({ itemId }) => itemId) : [],
    ),
  )
  const sends = fuzz.sends.filter((id) => fuzz.acked.has(id))
  const lost = sends.filter((id) => !delivered.includes(id) && !everQueued.has(id))
  expect(lost).toEqual([])
}

/** Each message is answered by whom it is for: never by the agent that happens to be at work. */
function checkAddressees(events: SessionEvent[]): void {
  let state = EMPTY_STATE
  for (const [index, event] of events.entries()) {
    if (event.type === 'user_message') {
      const next = events.slice(index).find(({ type }) => type === 'run_started')
      const begun = next?.type === 'run_started' ? next.agent : null
      const answers = state.run.status === 'running' ? state.run.agent : begun
      // A steer that names nobody is for whoever was at work when it was sent.
      if (event.to !== undefined) {
        expect(answers).toBe(event.to)
        noteAs('a message to another agent')
      } else if (event.delivery === 'queue') expect(answers).toBe('parley')
    }
    state = applyEvent(state, event)
  }
}

/** Each prompt is made once, by a mission that was active, and its run begins right behind it. */
function checkMissions(events: SessionEvent[]): void {
  let state = EMPTY_STATE
  for (const [index, event] of events.entries()) {
    if (event.type === 'idle_prompt') {
      const { missionId, prompts, status } = state.mission!
      expect(state.run.status).toBe('idle')
      expect(state.queue.items).toEqual([])
      expect({ missionId, prompts, status }).toEqual({
        missionId: event.missionId,
        prompts: event.n - 1,
        status: 'active',
      })
      expect(event.n).toBeLessThanOrEqual(event.of)
      expect(events[index + 1]).toMatchObject({ type: 'run_started', runId: event.runId })
    }
    state = applyEvent(state, event)
  }
}

describe('[LOG1] [LOG2] [LOG3] [LOG4] [LOG5] a random life of a session', () => {
  const seeds = [...PINNED, ...Array.from({ length: RUNS }, (_, index) => FIRST_SEED + index)]
  // In blocks, so that a failure names its seed without printing hundreds of lines.
  for (let at = 0; at < seeds.length; at += 40) {
    const block = seeds.slice(at, at + 40)
    test(`clients, object and log agree, seeds ${block[0]} to ${block.at(-1)}`, async () => {
      for (const seed of block) {
        try {
          await check(seed)
        } catch (error) {
          throw new Error(`seed ${seed} (pin it in PINNED)`, { cause: error })
        }
      }
    })
  }

  test('[AGT1] [AGT7] [RUN7] [RUN8] [QUE2] the lives had addressed agents, fallbacks, retries, compactions, denials and cancels', () => {
    const expected = [
      'model_fallback',
      'warning',
      'compacted',
      'context_usage',
      'output_cancelled',
      'a denial',
      'decision_requested',
      'decision_resolved',
      'ask_user',
      'ask_user_answered',
      'idle_prompt',
      'mission_updated',
      'a message to another agent',
    ]
    for (const what of expected) expect(met.get(what) ?? 0, what).toBeGreaterThan(20)
  })
})

import { describe, expect, test } from 'vitest'
import type { Ack, Command, CommandType } from '#protocol/commands'
import type { EventBody, EventOf, QueueItem, SessionEvent, Usage } from '#protocol/events'
import type { ErrorCode } from '#protocol/http'
import { EVENT_BYTES, QUEUE_BYTES, QUEUE_ITEMS } from '#protocol/limits'
import { fold } from '#protocol/reduce'
import type { RunState, SessionState } from '#protocol/state'
import { BUILTIN_AGENTS } from '../agents/agent.ts'
import { decide } from './decide.ts'
import { decideRecovery, decideReport } from './decide-report.ts'
import type { DecideContext, Decision, RunReport } from './decide-types.ts'
import type { Assist } from './answers.ts'
import type { OpenText } from './settle.ts'

const SESSION = 'session-0123456789'

const context = (more: Partial<DecideContext> = {}): DecideContext => ({
  now: 5000,
  by: 'alice',
  reason: 'user',
  models: ['scripted', 'other'],
  liveTexts: () => [],
  terminalSeqOf: () => null,
  wasCancelled: () => false,
  isRepeatable: (toolName) => toolName.startsWith('safe'),
  wasAsked: () => false,
  decisionMs: null,
  assist: null,
  ...more,
})

type Accepted = Extract<Decision, { ok: true }>

/** Frozen all the way down: a decision that changes the state it was given throws. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

function accept(state: SessionState, command: Command, more?: Partial<DecideContext>): Accepted {
  const decision = decide(freeze(state), freeze(command), context(more))
  if (!decision.ok) throw new Error(`${decision.rejection.code}: ${decision.rejection.message}`)
  return decision
}

function refuse(state: SessionState, command: Command, more?: Partial<DecideContext>) {
  const decision = decide(freeze(state), freeze(command), context(more))
  if (decision.ok) throw new Error(`accepted: ${types(decision).join()}`)
  return decision.rejection
}

type ReportBody = RunReport extends infer R
  ? R extends RunReport
    ? Omit<R, 'runId' | 'attempt'>
    : never
  : never

const runOf = (state: SessionState): Extract<RunState, { status: 'running' }> => {
  if (state.run.status !== 'running') throw new Error('no run is active')
  return state.run
}

/** A report of the run that is active in `state`. */
function report(state: SessionState, body: ReportBody, more?: Partial<DecideContext>): Accepted {
  const { runId, attempt } = runOf(state)
  const decision = decideReport(freeze(state), { runId, attempt, ...body }, context(more))
  if (decision === null) throw new Error('the report was dropped')
  return decision
}

const apply = (state: SessionState, ...commands: Command[]): SessionState =>
  commands.reduce((at, command) => accept(at, command).state, state)

const send = (
  id: string,
  more: { delivery?: 'steer' | 'interrupt'; text?: string } = {},
): Command => ({ type: 'send', id, text: `text of ${id}`, ...more })
const finish = (
  outcome: 'done' | 'failed' | 'step_limit' = 'done',
  stopReason = 'stop',
): ReportBody => ({ type: 'run_finished', outcome, stopReason })

const types = ({ events }: { events: readonly SessionEvent[] }): string[] =>
  events.map(({ type }) => type)
const effects = (decision: Accepted): string[] =>
  decision.effects.map(({ type, runId }) => `${type} ${runId.slice(SESSION.length + 1)}`)
const queued = (state: SessionState): string[] => state.queue.items.map(({ itemId }) => itemId)
const messages = ({ events }: { events: readonly SessionEvent[] }): string[] =>
  events.flatMap((event) => (event.type === 'user_message' ? [event.messageId] : []))

const cancel = (runId?: string): Command => ({
  type: 'cancel',
  id: 'c',
  ...(runId === undefined ? {} : { runId }),
})
const recover = (state: SessionState, more?: Partial<DecideContext>): Accepted => {
  const decision = decideRecovery(freeze(state), context(more))
  if (decision === null) throw new Error('nothing to recover')
  return decision
}
const move = (itemId: string, before: string | null): Command => ({
  type: 'queue_move',
  id: 'mv',
  itemId,
  before,
})
const delivered = ({ events }: Accepted) => events.find(({ type }) => type === 'user_message')

const EMPTY = fold([
  {
    type: 'session_created',
    sessionId: SESSION,
    agent: 'parley',
    model: 'scripted',
    seq: 1,
    at: 1,
  },
])
/** The run is `.3`. */
const RUNNING = apply(EMPTY, send('m1'))
const IDLE = report(RUNNING, finish()).state
const BUSY = apply(RUNNING, send('q1'), send('q2'))
const HELD = apply(BUSY, { type: 'cancel', id: 'stop' })
const STATES = { empty: EMPTY, idle: IDLE, running: BUSY, held: HELD }

const step = (usage: Usage): EventOf<'context_usage'> => ({
  type: 'context_usage',
  runId: `${SESSION}.3`,
  messages: 1,
  tokens: 10,
  window: 100,
  compacted: false,
  estimate: 10,
  usage,
})

describe('every command in every state', () => {
  type Expected = { events: string[]; ack: Ack; effects?: string[] } | { code: ErrorCode }
  const STARTED = ['user_message', 'run_started']
  const CANCELLED = ['output_cancelled', 'run_done']
  const CHANGED = ['queue_updated']
  const NO_ITEM = { code: 'no_such_item' as const }
  const everywhere = (expected: Expected): Record<keyof typeof STATES, Expected> => ({
    empty: expected,
    idle: expected,
    running: expected,
    held: expected,
  })
  const assist: Assist = {
    type: 'files',
    version: 0,
    results: [],
    files: [],
    refusal: { code: 'no_such_checkpoint', message: 'there is none' },
  }

  // A new command does not compile until it has a line for each state here.
  const table: Record<CommandType, { command: Command } & Record<keyof typeof STATES, Expected>> = {
    send: {
      command: send('new'),
      empty: {
        events: STARTED,
        ack: { seq: 2, queued: false, runId: `${SESSION}.3` },
        effects: ['start_run 3'],
      },
      idle: {
        events: STARTED,
        ack: { seq: 5, queued: false, runId: `${SESSION}.6` },
        effects: ['start_run 6'],
      },
      running: { events: CHANGED, ack: { seq: 6, queued: true, runId: `${SESSION}.3` } },
      held: {
        events: [...CHANGED, ...STARTED],
        ack: { seq: 10, queued: false, runId: `${SESSION}.11` },
        effects: ['start_run 11'],
      },
    },
    cancel: {
      command: { type: 'cancel', id: 'new' },
      empty: { events: [], ack: { seq: null } },
      idle: { events: [], ack: { seq: 4 } },
      running: {
        events: [...CANCELLED, ...CHANGED],
        ack: { seq: 7 },
        effects: ['end_run 3'],
      },
      held: { events: [], ack: { seq: 7 } },
    },
    continue: {
      command: { type: 'continue', id: 'new' },
      empty: { code: 'nothing_to_continue' },
      idle: { events: ['run_started'], ack: { runId: `${SESSION}.5` }, effects: ['start_run 5'] },
      running: { code: 'run_active' },
      held: {
        events: [...CHANGED, 'run_started'],
        ack: { runId: `${SESSION}.10` },
        effects: ['start_run 10'],
      },
    },
    queue_edit: {
      command: { type: 'queue_edit', id: 'new', itemId: 'q1', text: 'other' },
      empty: NO_ITEM,
      idle: NO_ITEM,
      running: { events: CHANGED, ack: { seq: 6 } },
      held: { events: CHANGED, ack: { seq: 9 } },
    },
    queue_remove: {
      command: { type: 'queue_remove', id: 'new', itemId: 'q1' },
      empty: NO_ITEM,
      idle: NO_ITEM,
      running: { events: CHANGED, ack: { seq: 6 } },
      held: { events: CHANGED, ack: { seq: 9 } },
    },
    queue_move: {
      command: { type: 'queue_move', id: 'new', itemId: 'q2', before: 'q1' },
      empty: NO_ITEM,
      idle: NO_ITEM,
      running: { events: CHANGED, ack: { seq: 6 } },
      held: { events: CHANGED, ack: { seq: 9 } },
    },
    queue_send_now: {
      command: { type: 'queue_send_now', id: 'new', itemId: 'q2' },
      empty: NO_ITEM,
      idle: NO_ITEM,
      running: {
        events: [...CANCELLED, ...CHANGED, ...STARTED],
        ack: { seq: 9, runId: `${SESSION}.10` },
        effects: ['end_run 3', 'start_run 10'],
      },
      held: {
        events: [...CHANGED, ...STARTED],
        ack: { seq: 10, runId: `${SESSION}.11` },
        effects: ['start_run 11'],
      },
    },
    configure: {
      command: { type: 'configure', id: 'new', title: 'Plans' },
      empty: { events: ['session_configured'], ack: { seq: 2 } },
      idle: { events: ['session_configured'], ack: { seq: 5 } },
      running: { events: ['session_configured'], ack: { seq: 6 } },
      held: { events: ['session_configured'], ack: { seq: 9 } },
    },
    compact: {
      command: { type: 'compact', id: 'new' },
      empty: { code: 'nothing_to_compact' },
      idle: { events: ['run_started'], ack: { runId: `${SESSION}.5` }, effects: ['start_run 5'] },
      running: { code: 'run_active' },
      held: { events: ['run_started'], ack: { runId: `${SESSION}.9` }, effects: ['start_run 9'] },
    },
    decide: {
      command: { type: 'decide', id: 'new', decisionId: 'd1', verdict: 'accept' },
      ...everywhere({ code: 'no_such_decision' }),
    },
    answer: {
      command: { type: 'answer', id: 'new', questionId: 'q1', answers: {} },
      ...everywhere({ code: 'no_such_question' }),
    },
    mission_set: {
      command: { type: 'mission_set', id: 'new', text: 'Keep the list short' },
      empty: { events: ['mission_updated'], ack: { seq: 2 } },
      idle: { events: ['mission_updated'], ack: { seq: 5 } },
      running: { events: ['mission_updated'], ack: { seq: 6 } },
      held: { events: ['mission_updated'], ack: { seq: 9 } },
    },
    mission_clear: {
      command: { type: 'mission_clear', id: 'new' },
      ...everywhere({ code: 'no_such_mission' }),
    },
    mission_pause: {
      command: { type: 'mission_pause', id: 'new' },
      ...everywhere({ code: 'no_such_mission' }),
    },
    mission_resume: {
      command: { type: 'mission_resume', id: 'new' },
      ...everywhere({ code: 'no_such_mission' }),
    },
    mission_prompt: {
      command: { type: 'mission_prompt', id: 'new' },
      ...everywhere({ code: 'no_such_mission' }),
    },
    override_set: {
      command: { type: 'override_set', id: 'new', agentId: 'parley', override: { tools: [] } },
      empty: { events: ['override_updated'], ack: { seq: 2 } },
      idle: { events: ['override_updated'], ack: { seq: 5 } },
      running: { events: ['override_updated'], ack: { seq: 6 } },
      held: { events: ['override_updated'], ack: { seq: 9 } },
    },
    rule_remove: {
      command: { type: 'rule_remove', id: 'new', ruleId: 'd1' },
      ...everywhere({ code: 'no_such_rule' }),
    },
    // What they come to is found out before: see session-files.test.ts.
    keep: {
      command: { type: 'keep', id: 'new', checkpointId: 'c3' },
      ...everywhere({ code: 'no_such_checkpoint' }),
    },
    undo: {
      command: { type: 'undo', id: 'new', checkpointId: 'c3' },
      ...everywhere({ code: 'no_such_checkpoint' }),
    },
    redo: {
      command: { type: 'redo', id: 'new', checkpointId: 'c3' },
      ...everywhere({ code: 'no_such_checkpoint' }),
    },
    restore: {
      command: { type: 'restore', id: 'new', checkpointId: 'c3' },
      ...everywhere({ code: 'no_such_checkpoint' }),
    },
    clear: {
      command: { type: 'clear', id: 'new' },
      empty: { events: ['session_cleared'], ack: { seq: 2 } },
      idle: { events: ['session_cleared'], ack: { seq: 5 } },
      running: {
        events: [...CANCELLED, ...CHANGED, 'session_cleared'],
        ack: { seq: 9 },
        effects: ['end_run 3'],
      },
      held: { events: ['session_cleared'], ack: { seq: 9 } },
    },
  }

  const cases = Object.entries(table).flatMap(([type, { command, ...expected }]) =>
    Object.entries(expected).map(
      ([name, outcome]) =>
        [type, name, command, outcome] as [string, keyof typeof STATES, Command, Expected],
    ),
  )

  test.each(cases)('[API1] %s, %s', (_type, name, command, expected) => {
    const decision = decide(freeze(STATES[name]), command, context({ assist }))
    if ('code' in expected) {
      expect(decision).toMatchObject({ ok: false, rejection: { code: expected.code } })
      return
    }
    if (!decision.ok) throw new Error(decision.rejection.message)
    expect(types(decision)).toEqual(expected.events)
    expect(decision.ack).toEqual(expected.ack)
    expect(effects(decision)).toEqual(expected.effects ?? [])
  })

  test.each(cases)('[LOG1] %s, %s: events follow the log, and fold to the new state', (...args) => {
    const [, name, command] = args
    const state = STATES[name]
    const decision = decide(freeze(state), command, context({ assist }))
    if (!decision.ok) {
      expect(decision.rejection.message).not.toBe('')
      return
    }
    const seqs = decision.events.map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => state.seq + index + 1))
    expect(fold(decision.events, state)).toEqual(decision.state)
    expect(decision.events.every(({ at }) => at === 5000)).toBe(true)
  })
})

describe('send', () => {
  test('[QUE1] the message id is the item id is the id of the command', () => {
    expect(accept(EMPTY, send('mine')).events[0]).toMatchObject({ messageId: 'mine' })
    expect(queued(accept(RUNNING, send('mine')).state)).toEqual(['mine'])
  })

  test('[QUE1] what was sent travels through the queue unchanged', () => {
    const command: Command = {
      type: 'send',
      id: 'm2',
      text: 'look',
      to: 'someone',
      attachments: [{ name: 'a.txt', content: 'A', range: '1-2' }],
    }
    const found = { assist: { type: 'agent', agent: BUILTIN_AGENTS[1]! } } as const
    const waiting = accept(RUNNING, command, found).state
    expect(waiting.queue.items).toEqual([
      {
        itemId: 'm2',
        text: 'look',
        delivery: 'queue',
        from: 'alice',
        to: 'someone',
        addressee: { agent: 'someone', model: 'scripted', mode: 'agent' },
        attachments: [{ name: 'a.txt', content: 'A', range: '1-2' }],
      },
    ])
    const started = report(waiting, finish())
    const direct = accept(IDLE, command, found)
    expect({ ...delivered(started), seq: 0 }).toEqual({ ...delivered(direct), seq: 0 })
  })

  test('[QUE1] is logged at delivery and never while it waits', () => {
    expect(types(accept(RUNNING, send('m2')))).toEqual(['queue_updated'])
  })

  test('[SAF2] message and attachments that do not fit into one event are refused', () => {
    const attachments = [{ name: 'a', content: 'x'.repeat(EVENT_BYTES) }]
    for (const state of [IDLE, RUNNING]) {
      expect(refuse(state, { type: 'send', id: 'big', text: 'x', attachments }).code).toBe(
        'too_large',
      )
    }
  })

  test('[QUE2] a steer goes ahead of what waits for the end, in the order steers came', () => {
    const state = apply(
      BUSY,
      send('s1', { delivery: 'steer' }),
      send('q3'),
      send('s2', { delivery: 'steer' }),
    )
    expect(queued(state)).toEqual(['s1', 's2', 'q1', 'q2', 'q3'])
  })

  test('[QUE2] with no run every delivery starts one', () => {
    for (const delivery of ['steer', 'interrupt'] as const) {
      const decision = accept(IDLE, send('m2', { delivery }))
      expect(types(decision)).toEqual(['user_message', 'run_started'])
      expect(decision.ack).toMatchObject({ queued: false })
    }
  })

  test('[QUE2] an interrupt cancels, then runs, ahead of the queue, which goes on afterwards', () => {
    const decision = accept(BUSY, send('now', { delivery: 'interrupt' }))
    expect(types(decision)).toEqual(['output_cancelled', 'run_done', 'user_message', 'run_started'])
    expect(decision.events[0]).toMatchObject({ reason: 'interrupt', by: 'alice' })
    expect(decision.events[1]).toMatchObject({ outcome: 'cancelled' })
    expect(decision.ack).toEqual({ seq: 8, queued: false, runId: `${SESSION}.9` })
    expect(effects(decision)).toEqual(['end_run 3', 'start_run 9'])
    expect(decision.state.queue).toMatchObject({ held: false })
    expect(messages(report(decision.state, finish()))).toEqual(['q1'])
  })

  test('[QUE1] a send to a held queue goes first and releases the rest', () => {
    const decision = accept(HELD, send('new'))
    expect(messages(decision)).toEqual(['new'])
    expect(decision.state.queue).toMatchObject({ held: false })
    expect(queued(decision.state)).toEqual(['q1', 'q2'])
  })
})

describe('the queue', () => {
  const three = apply(BUSY, send('q3'))

  test.each<[string, string | null, string[]]>([
    ['q1', null, ['q2', 'q3', 'q1']],
    ['q3', 'q1', ['q3', 'q1', 'q2']],
    ['q1', 'q3', ['q2', 'q1', 'q3']],
    ['q2', 'q2', ['q1', 'q2', 'q3']],
    ['q3', null, ['q1', 'q2', 'q3']],
  ])('[QUE1] moving %s before %s gives %j', (itemId, before, order) => {
    expect(queued(accept(three, move(itemId, before)).state)).toEqual(order)
  })

  test('[QUE1] an item that is not there, or not any more, is refused by name', () => {
    expect(refuse(three, move('gone', 'q1'))).toMatchObject({
      code: 'no_such_item',
      message: expect.stringContaining('gone') as string,
    })
    expect(refuse(three, move('q1', 'gone')).message).toContain('gone')
    const started = report(three, finish()).state
    expect(queued(started)).toEqual(['q2', 'q3'])
    expect(refuse(started, { type: 'queue_remove', id: 'x', itemId: 'q1' }).code).toBe(
      'no_such_item',
    )
  })

  test('[QUE1] an edit changes the text and keeps place, delivery and sender', () => {
    const command: Command = { type: 'queue_edit', id: 'e', itemId: 'q2', text: 'other' }
    const { state } = accept(three, command, { by: 'bob' })
    expect(state.queue.items.map(({ itemId, text, from }) => [itemId, text, from])).toEqual([
      ['q1', 'text of q1', 'alice'],
      ['q2', 'other', 'alice'],
      ['q3', 'text of q3', 'alice'],
    ])
  })

  test('[QUE1] taking back the last item of a held queue leaves nothing held', () => {
    const one = accept(HELD, { type: 'queue_remove', id: 'a', itemId: 'q1' }).state
    expect(one.queue.held).toBe(true)
    const none = accept(one, { type: 'queue_remove', id: 'b', itemId: 'q2' }).state
    expect(none.queue).toEqual({ items: [], held: false })
  })

  test('[QUE1] [SAF2] holds a hundred and refuses the next, changing nothing', () => {
    let state = RUNNING
    for (let i = 0; i < QUEUE_ITEMS; i++) state = accept(state, send(`q${i}`)).state
    expect(refuse(state, send('one too many')).code).toBe('queue_full')
    expect(refuse(state, send('steer too', { delivery: 'steer' })).code).toBe('queue_full')
    expect(accept(state, send('now', { delivery: 'interrupt' })).ack.queued).toBe(false)
  })

  test('[QUE1] [SAF2] is bounded in bytes, because queue_updated carries all of it', () => {
    const big = 'x'.repeat(200_000)
    const state = apply(RUNNING, send('q1', { text: big }), send('q2', { text: big }))
    expect(refuse(state, send('q3', { text: big }))).toMatchObject({
      code: 'queue_full',
      message: expect.stringContaining(String(QUEUE_BYTES)) as string,
    })
    const edited: Command = { type: 'queue_edit', id: 'e', itemId: 'q1', text: big.repeat(2) }
    expect(refuse(state, edited).code).toBe('queue_full')
    expect(queued(accept(state, send('small')).state)).toEqual(['q1', 'q2', 'small'])
  })

  test('[QUE2] sending now interrupts the run with that item and leaves the rest in order', () => {
    const decision = accept(three, { type: 'queue_send_now', id: 'n', itemId: 'q2' })
    expect(messages(decision)).toEqual(['q2'])
    const delivered = decision.events.find(({ type }) => type === 'user_message')
    expect(delivered).toMatchObject({ delivery: 'interrupt', seq: decision.ack.seq })
    expect(queued(decision.state)).toEqual(['q1', 'q3'])
    expect(decision.state.queue.held).toBe(false)
  })

  test('[QUE2] sending now from a held queue cancels nothing and releases it', () => {
    const decision = accept(HELD, { type: 'queue_send_now', id: 'n', itemId: 'q2' })
    expect(types(decision)).toEqual(['queue_updated', 'user_message', 'run_started'])
    expect(decision.state.queue).toMatchObject({ held: false })
    expect(queued(decision.state)).toEqual(['q1'])
  })
})

describe('cancel', () => {
  test('[CAN2] answers with the seq of the end, which is the last event of the run', () => {
    const decision = accept(RUNNING, cancel())
    const end = decision.events.at(-1)
    expect(end).toMatchObject({ type: 'run_done', outcome: 'cancelled', runId: `${SESSION}.3` })
    expect(decision.ack).toEqual({ seq: end?.seq })
  })

  test('[CAN1] says who and why: a person, or a program', () => {
    expect(accept(RUNNING, cancel(), { by: 'bob' }).events[0]).toMatchObject({
      type: 'output_cancelled',
      by: 'bob',
      reason: 'user',
    })
    expect(accept(RUNNING, cancel(), { reason: 'api' }).events[0]).toMatchObject({ reason: 'api' })
  })

  test('[CAN1] keeps where the voice stopped', () => {
    const command: Command = { type: 'cancel', id: 'c', audioTruncatedAtMs: 0 }
    expect(accept(RUNNING, command).events[0]).toMatchObject({ audioTruncatedAtMs: 0 })
    expect(accept(RUNNING, cancel()).events[0]).not.toHaveProperty('audioTruncatedAtMs')
  })

  test('[CAN2] by run id it stops that run and no other', () => {
    expect(types(accept(RUNNING, cancel(`${SESSION}.3`)))).toContain('run_done')
    const decision = accept(RUNNING, cancel(`${SESSION}.2`), { terminalSeqOf: () => 2 })
    expect(decision).toMatchObject({ events: [], ack: { seq: 2 } })
  })

  test('[CAN2] of a run that ended it answers with that end and cancels nothing', () => {
    const again = apply(IDLE, send('m2'))
    const decision = accept(again, cancel(`${SESSION}.3`))
    expect(decision).toMatchObject({ events: [], effects: [], ack: { seq: 4 } })
    const older = accept(again, cancel(`${SESSION}.2`), {
      terminalSeqOf: (runId) => (runId === `${SESSION}.2` ? 77 : null),
    })
    expect(older.ack).toEqual({ seq: 77 })
  })

  test('[CAN2] of a run that never was is refused', () => {
    for (const state of Object.values(STATES)) {
      expect(refuse(state, cancel(`${SESSION}.999`)).code).toBe('no_such_run')
    }
  })

  test('[CAN2] with no run at all there is nothing to name', () => {
    expect(accept(EMPTY, cancel())).toMatchObject({ events: [], ack: { seq: null } })
  })

  test('[QUE1] holds the queue, visibly, and only where something waits', () => {
    expect(HELD.queue).toMatchObject({ held: true })
    expect(queued(HELD)).toEqual(['q1', 'q2'])
    expect(types(accept(RUNNING, cancel()))).toEqual(['output_cancelled', 'run_done'])
  })

  test('[CAN3] settles what is open in its place: partial text, then calls, then the end', () => {
    const part = { responseId: `${SESSION}.3.1` }
    const state = report(RUNNING, {
      type: 'run_events',
      events: [
        { type: 'text_done', ...part, partId: 'p1', text: 'Looking.' },
        { type: 'tool_call_start', ...part, callId: 'c1', toolName: 'search', arguments: '{}' },
        { type: 'tool_call_start', ...part, callId: 'c2', toolName: 'safe', arguments: '{}' },
        { type: 'tool_output_delta', callId: 'c1', offset: 0, delta: 'row' },
        { type: 'text_delta', ...part, partId: 'p2', offset: 0, delta: 'Half' },
      ],
    }).state
    const texts: OpenText[] = [
      { ...part, kind: 'tool_output', id: 'c1', text: 'row and live' },
      { ...part, kind: 'text', id: 'p2', text: 'Half a sentence' },
    ]
    const decision = accept(state, cancel(), { liveTexts: () => texts })
    expect(decision.events.map(({ seq: _seq, at: _at, ...body }) => body)).toMatchObject([
      {
        type: 'tool_result',
        callId: 'c1',
        ok: false,
        result: 'row and live',
        error: { code: 'tool_interrupted' },
      },
      { type: 'tool_result', callId: 'c2', ok: false, error: { code: 'tool_interrupted' } },
      { type: 'text_done', partId: 'p2', text: 'Half a sentence', interrupted: true },
      { type: 'output_cancelled' },
      { type: 'run_done' },
    ])
  })

  test('[CAN3] keeps text that was only ever live, also where the gate still held it back', () => {
    const part = { responseId: `${SESSION}.3.1` }
    const texts: OpenText[] = [
      { ...part, kind: 'text', id: 'p1', text: '**H' },
      { ...part, kind: 'tool_input', id: 'c1', text: '{"a' },
      { ...part, kind: 'thinking', id: 't1', text: '' },
    ]
    const decision = accept(RUNNING, cancel(), { liveTexts: () => texts })
    expect(types(decision)).toEqual(['text_done', 'output_cancelled', 'run_done'])
    expect(decision.events[0]).toMatchObject({ text: '**H', interrupted: true })
  })
})

describe('continue', () => {
  test('[RUN9] starts a new run without a message and releases the queue', () => {
    const decision = accept(HELD, { type: 'continue', id: 'x' })
    expect(messages(decision)).toEqual([])
    expect(decision.state.queue.held).toBe(false)
    expect(decision.events.at(-1)).toMatchObject({ type: 'run_started', attempt: 1 })
  })

  test('[RUN9] needs something to go on from, also after a clear', () => {
    const cleared = apply(IDLE, { type: 'clear', id: 'c' })
    expect(refuse(cleared, { type: 'continue', id: 'x' }).code).toBe('nothing_to_continue')
  })
})

describe('configure', () => {
  test('[SES1] logs what is given and nothing else', () => {
    const { events } = accept(IDLE, { type: 'configure', id: 'x', title: 'Plans', pinned: true })
    expect(events).toMatchObject([
      { type: 'session_configured', changes: { title: 'Plans', pinned: true } },
    ])
    expect(Object.keys((events[0] as { changes: object }).changes)).toEqual(['title', 'pinned'])
  })

  test('[SAF2] with nothing to change is refused', () => {
    expect(refuse(IDLE, { type: 'configure', id: 'x' }).code).toBe('bad_request')
  })

  test.each(['[abc', '!x', '{a', 'a/../b', 'x'.repeat(201)])(
    '[DEC3] [SAF2] the pattern %j, by which nobody could be asked, is refused by its place',
    (pattern) => {
      const sensitivePatterns = ['./config.json', pattern]
      const rejection = refuse(IDLE, { type: 'configure', id: 'x', sensitivePatterns })
      expect(rejection.code).toBe('bad_request')
      expect(rejection.message).toMatch(/^sensitivePatterns\.1: /)
      const kept = { type: 'configure' as const, id: 'x', sensitivePatterns: ['./config.json'] }
      expect(accept(IDLE, kept).state.session.sensitivePatterns).toEqual(['./config.json'])
    },
  )

  test('[SAF2] a model that is not here is refused by name', () => {
    expect(refuse(IDLE, { type: 'configure', id: 'x', model: 'gone' })).toMatchObject({
      code: 'unknown_model',
      message: expect.stringContaining('gone') as string,
    })
    const { state } = accept(IDLE, { type: 'configure', id: 'x', model: 'other' })
    expect(accept(state, send('m2')).events.at(-1)).toMatchObject({ model: 'other' })
  })

  test('[RUN1] the model of a run in flight is the one it started with', () => {
    const { state } = accept(RUNNING, { type: 'configure', id: 'x', model: 'other' })
    expect(runOf(state).model).toBe('scripted')
  })
})

describe('clear', () => {
  test('[CAN2] ends the run first, and holds what waits', () => {
    const decision = accept(BUSY, { type: 'clear', id: 'x' })
    expect(decision.state).toMatchObject({
      turns: [],
      open: null,
      run: { status: 'idle' },
      queue: { held: true },
    })
    expect(queued(decision.state)).toEqual(['q1', 'q2'])
    expect(decision.ack.seq).toBe(decision.events.at(-1)?.seq)
  })
})

describe('what the loop reports', () => {
  const some: EventBody[] = [
    { type: 'text_done', responseId: `${SESSION}.3.1`, partId: 'p1', text: 'late' },
  ]

  test('[CAN2] is dropped when the run is over, another, or another attempt', () => {
    const body = { type: 'run_events', events: some } as const
    for (const state of [EMPTY, IDLE, HELD]) {
      expect(decideReport(state, { ...body, runId: `${SESSION}.3`, attempt: 1 }, context())).toBe(
        null,
      )
    }
    expect(decideReport(RUNNING, { ...body, runId: `${SESSION}.4`, attempt: 1 }, context())).toBe(
      null,
    )
    expect(decideReport(RUNNING, { ...body, runId: `${SESSION}.3`, attempt: 2 }, context())).toBe(
      null,
    )
    const end: RunReport = { ...finish(), runId: `${SESSION}.3`, attempt: 2 }
    expect(decideReport(RUNNING, end, context())).toBe(null)
  })

  test('[RUN2] is logged in the order it came', () => {
    const decision = report(RUNNING, { type: 'run_events', events: some })
    expect(types(decision)).toEqual(['text_done'])
    expect(decision.effects).toEqual([])
  })

  test('[QUE2] a step takes all steers in together, in order, and leaves what is queued', () => {
    const state = apply(BUSY, send('s1', { delivery: 'steer' }), send('s2', { delivery: 'steer' }))
    const decision = report(state, { type: 'step_begin' })
    expect(types(decision)).toEqual(['queue_updated', 'user_message', 'user_message'])
    expect(messages(decision)).toEqual(['s1', 's2'])
    expect(queued(decision.state)).toEqual(['q1', 'q2'])
    expect(decision.state.run).toMatchObject({ status: 'running', runId: `${SESSION}.3` })
  })

  test('[QUE2] a step without steers changes nothing', () => {
    expect(report(BUSY, { type: 'step_begin' })).toMatchObject({ events: [], effects: [] })
  })

  test.each(['done', 'step_limit'] as const)(
    '[QUE1] [RUN3] after %s the next of the queue starts by itself',
    (outcome) => {
      const decision = report(BUSY, finish(outcome, outcome))
      expect(types(decision)).toEqual(['run_done', 'queue_updated', 'user_message', 'run_started'])
      expect(decision.events[0]).toMatchObject({ outcome, stopReason: outcome })
      expect(messages(decision)).toEqual(['q1'])
      expect(queued(decision.state)).toEqual(['q2'])
      expect(effects(decision)).toEqual(['end_run 3', 'start_run 9'])
    },
  )

  test('[QUE2] steers that came too late start the next run together, ahead of the queue', () => {
    const state = apply(BUSY, send('s1', { delivery: 'steer' }), send('s2', { delivery: 'steer' }))
    const decision = report(state, finish())
    expect(messages(decision)).toEqual(['s1', 's2'])
    expect(queued(decision.state)).toEqual(['q1', 'q2'])
    expect(types(decision).filter((type) => type === 'run_started')).toHaveLength(1)
  })

  test('[RUN4] after a failure nothing starts by itself, and the words are in the log', () => {
    const error = { code: 'model_unavailable', message: 'gone' }
    const decision = report(BUSY, {
      type: 'run_finished',
      outcome: 'failed',
      stopReason: 'error',
      error,
    })
    expect(types(decision)).toEqual(['error', 'run_done', 'queue_updated'])
    expect(decision.events[0]).toMatchObject({ ...error, runId: `${SESSION}.3` })
    expect(decision.state.queue.held).toBe(true)
    expect(effects(decision)).toEqual(['end_run 3'])
  })

  test('[RUN4] an end says how long it took, by a clock that may have gone back', () => {
    const decision = report(RUNNING, finish(), { now: 5000 + 1234 })
    expect(decision.events.at(-1)).toMatchObject({ durationMs: 1234 })
    const back = report(RUNNING, finish(), { now: 1 })
    expect(back.events.at(-1)).toMatchObject({ durationMs: 0 })
  })

  test('[RUN4] an end carries the usage of every step, the last and earlier attempts included', () => {
    const first = step({ inputTokens: 7, outputTokens: 8, cachedTokens: 9, costUsd: 0.1 })
    const last = step({ inputTokens: 1, outputTokens: 2, cachedTokens: 3, costUsd: 0.2 })
    const stepped = report(RUNNING, { type: 'run_events', events: [first] }).state
    const { state } = recover(stepped)
    const end: ReportBody = {
      type: 'run_finished',
      outcome: 'done',
      stopReason: 'stop',
      context: last,
    }
    const usage = { inputTokens: 8, outputTokens: 10, cachedTokens: 12, costUsd: 0.3 }
    expect(report(state, end).events.at(-1)).toMatchObject({ type: 'run_done', usage })
  })
})

describe('an object that wakes with a run in flight', () => {
  const part = { responseId: `${SESSION}.3.1` }
  const OPEN = report(BUSY, {
    type: 'run_events',
    events: [
      { type: 'text_done', ...part, partId: 'p1', text: 'Looking.' },
      { type: 'tool_call_start', ...part, callId: 'c1', toolName: 'search', arguments: '{}' },
      { type: 'tool_call_start', ...part, callId: 'c2', toolName: 'safe', arguments: '{}' },
      { type: 'text_delta', ...part, partId: 'p2', offset: 0, delta: 'Half' },
    ],
  }).state

  test('[RUN9] without one does nothing', () => {
    for (const state of [EMPTY, IDLE, HELD]) expect(decideRecovery(state, context())).toBe(null)
  })

  test('[RUN9] keeps partial text, settles tools but for those safe to repeat, and goes on', () => {
    const decision = recover(OPEN)
    expect(decision.events).toMatchObject([
      { type: 'tool_result', callId: 'c1', error: { code: 'tool_interrupted' } },
      { type: 'text_done', partId: 'p2', text: 'Half', interrupted: true },
      { type: 'run_started', runId: `${SESSION}.3`, ...part, attempt: 2, model: 'scripted' },
    ])
    expect(decision.events).toHaveLength(3)
    expect(decision.effects).toEqual([{ type: 'start_run', runId: `${SESSION}.3`, attempt: 2 }])
    expect(queued(decision.state)).toEqual(['q1', 'q2'])
    expect(decision.state.queue.held).toBe(false)
  })

  test('[RUN9] goes on twice and no more: the third time it stops, settled and visible', () => {
    const third = recover(recover(RUNNING).state).state
    expect(runOf(third).attempt).toBe(3)
    expect(types(recover(third))).toEqual(['run_done'])
    const busy = recover(recover(OPEN).state).state
    const decision = recover(busy)
    expect(types(decision)).toEqual(['tool_result', 'run_done', 'queue_updated'])
    expect(decision.events).toMatchObject([
      { callId: 'c2', error: { code: 'tool_interrupted' } },
      { outcome: 'interrupted' },
      { held: true },
    ])
    expect(effects(decision)).toEqual(['end_run 3'])
  })

  test('[RUN9] stops at once where the setting says so', () => {
    const state = apply(OPEN, { type: 'configure', id: 'x', recovery: 'stop' })
    const decision = recover(state)
    expect(types(decision)).toEqual([
      'tool_result',
      'tool_result',
      'text_done',
      'run_done',
      'queue_updated',
    ])
    expect(decision.state).toMatchObject({ run: { status: 'idle' }, queue: { held: true } })
  })

  test('[RUN9] stops where the model of the run is not here any more', () => {
    const decision = recover(RUNNING, { models: ['other'] })
    expect(decision.events).toMatchObject([{ type: 'run_done', outcome: 'interrupted' }])
  })
})

test('[SAF2] a refused command has no effect to perform and no event to log', () => {
  const items: QueueItem[] = [...BUSY.queue.items]
  const refused: Command[] = [
    { type: 'continue', id: 'a' },
    { type: 'queue_remove', id: 'b', itemId: 'gone' },
    { type: 'cancel', id: 'c', runId: 'gone' },
    { type: 'configure', id: 'd', model: 'gone' },
  ]
  for (const command of refused) {
    const decision = decide(BUSY, command, context())
    expect(Object.keys(decision).sort()).toEqual(['ok', 'rejection'])
  }
  expect(BUSY.queue.items).toEqual(items)
})

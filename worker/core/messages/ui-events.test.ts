import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { EventBody, SessionEvent } from '#protocol/events'
import { spliceAt } from '#protocol/text'
import { parseUiMessageId, type UiSseMessage } from '#protocol/ui-message'
import {
  applyUiEvent,
  startUiFold,
  toConnected,
  toLiveMessages,
  toRemoved,
  toResync,
  type UiFold,
} from './ui-events.ts'

const SESSION = 'session-0123456789'

type Recorded = { name: string; events: SessionEvent[] }

const folder = new URL('../../testing/logs/', import.meta.url)
const logs = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recorded)

const logOf = (name: string): SessionEvent[] => logs.find((log) => log.name === name)!.events

/** The messages of each event, and the fold at the end. */
function tell(events: readonly SessionEvent[], from = startUiFold(SESSION)) {
  let fold: UiFold = from
  const told: UiSseMessage[][] = []
  for (const event of events) {
    const next = applyUiEvent(fold, event)
    fold = next.fold
    told.push(next.messages)
  }
  return { fold, told, messages: told.flat() }
}

const place = (bodies: readonly EventBody[]): SessionEvent[] =>
  bodies.map((body, index) => ({ ...body, seq: index + 1, at: 1000 + index }))

const labelOf = ({ kind, phase }: UiSseMessage): string =>
  phase === undefined ? kind : `${kind}/${phase}`

/** The document's table, without run/resync, which no event causes; and `ask_user/decision`, ours. */
const LABELS = [
  'activity/doing',
  'activity/done',
  'ask_user',
  'ask_user/decision',
  'message',
  'model_fallback',
  'queue',
  'run/change_report',
  'run/context_usage',
  'run/outcome',
  'run/plan_update',
  'run/subagent_result',
  'run/subagent_spawned',
  'run/sync',
  'text_segment',
  'token',
  'token/done',
  'tool_progress',
]

const AGENTS: EventBody[] = [
  { type: 'session_created', sessionId: SESSION, agent: 'parley', model: 'scripted' },
  {
    type: 'agent_message',
    messageId: 'm1',
    from: 'critic',
    fromSessionId: 'other-0123456789',
    exchangeId: 'x1',
    text: 'Is it true?',
    hops: 1,
  },
  {
    type: 'run_started',
    runId: `${SESSION}.3`,
    responseId: `${SESSION}.3.1`,
    model: 'scripted',
    agent: 'writer',
    attempt: 1,
    exchangeId: 'x1',
  },
  {
    type: 'subagent_spawned',
    runId: `${SESSION}.3`,
    callId: 'call_0',
    agent: 'coder',
    budget: 0,
    childSessionId: 'child-0123456789',
    childRunId: 'child-0123456789.3',
    task: 'Count the words',
  },
  {
    type: 'subagent_progress',
    runId: `${SESSION}.3`,
    childRunId: 'child-0123456789.3',
    status: 'running',
    activity: 'Reading a.txt',
    tools: 1,
    waits: [],
  },
  {
    type: 'subagent_result',
    runId: `${SESSION}.3`,
    childRunId: 'child-0123456789.3',
    outcome: 'done',
    summary: '12',
    tools: 1,
    durationMs: 5,
    budget: 0,
  },
  {
    type: 'exchange_started',
    runId: `${SESSION}.3`,
    hops: 2,
    budget: 0,
    expiresAt: 99,
    exchangeId: 'x2',
    callId: 'call_1',
    toSessionId: 'other-0123456789',
    toAgent: 'critic',
    text: 'What do you think?',
    wait: false,
  },
  {
    type: 'agent_callback_result',
    exchangeId: 'x2',
    from: 'critic',
    sessionId: 'other-0123456789',
    runId: 'other-0123456789.3',
    ok: true,
    result: 'It is fine.',
    toolCalls: [{ callId: 'c', toolName: 'calculate', ok: true }],
    as: 'message',
    budget: 0,
    hops: 2,
  },
  {
    type: 'idle_prompt',
    missionId: 'g1',
    runId: `${SESSION}.99`,
    text: 'Look again',
    n: 1,
    of: 3,
  },
  { type: 'mission_updated', mission: null, by: 'owner', reason: 'cleared' },
  { type: 'override_updated', agentId: 'writer', override: { models: [] }, by: 'owner' },
]

const agentOf = ([first]: readonly SessionEvent[]): string =>
  first?.type === 'session_created' ? first.agent : ''

describe.each(logs)('$name', ({ events }) => {
  test('[API1] every message has the shape of the document and a place of its own', () => {
    const { told, messages } = tell(events)
    for (const [index, ofEvent] of told.entries()) {
      const event = events[index]!
      for (const [position, message] of ofEvent.entries()) {
        expect(message).toMatchObject({ seq: event.seq, ts_ms: event.at, rev: 1 })
        expect(message).toMatchObject({ session_id: SESSION, agent_id: agentOf(events) })
        const id = { sessionId: SESSION, seq: event.seq, n: position + 1 }
        expect(parseUiMessageId(message.id)).toEqual(id)
        expect(LABELS).toContain(labelOf(message))
        for (const key of keysOf(message)) expect(key).toMatch(/^[a-z]+(_[a-z]+)*$/)
        expect(JSON.parse(JSON.stringify(message))).toEqual(message)
      }
      // That an agent thinks is said once.
      if (event.type !== 'thinking_start') expect(ofEvent.length, event.type).toBeGreaterThan(0)
    }
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
  })

  test('[API1] one who resumes anywhere is told the same as one who never left', () => {
    const { told } = tell(events)
    for (let after = 0; after <= events.length; after++) {
      const start = events.findLast(
        (event) => event.seq <= after && event.type === 'run_started' && event.attempt === 1,
      )
      const { fold } = tell(events.slice((start?.seq ?? 1) - 1, after))
      expect(tell(events.slice(after), fold).messages).toEqual(told.slice(after).flat())
    }
  })

  test('[API1] tokens make the text of each part, and segments repeat it', () => {
    const { messages } = tell(events)
    const parts = new Map<unknown, string>()
    for (const { kind, text = '', data } of messages) {
      if (kind === 'token') {
        const held = parts.get(data!['part_id']) ?? ''
        parts.set(data!['part_id'], spliceAt(held, data!['offset'] as number, text))
      }
      if (kind === 'text_segment') expect(parts.get(data!['part_id'])).toBe(text)
    }
    for (const event of events) {
      if (event.type === 'text_done' || event.type === 'thinking_done')
        expect(parts.get(event.partId)).toBe(event.text)
    }
  })

  test('[RUN5] an activity is told when it changes; every run ends idle', () => {
    const { messages } = tell(events)
    const statuses = messages.flatMap(({ kind, data }) =>
      kind === 'activity' && data!['status'] !== undefined
        ? [JSON.stringify([data!['status'], data!['detail'], data!['call_id']])]
        : [],
    )
    expect(statuses.filter((status, index) => status === statuses[index - 1])).toEqual([])
    expect(statuses.filter((status) => status.startsWith('["idle"')).length).toBe(
      events.filter(({ type }) => type === 'run_done').length,
    )
  })
})

/** Names that are ours: answers and arguments are named by models. */
function keysOf({ data = {}, ...rest }: UiSseMessage): string[] {
  const items = [data['changes'], data['rule'], ...listOf(data['items']), ...listOf(data['files'])]
  return [rest, data, ...items].flatMap((value) => Object.keys(value ?? {}))
}
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

test('[API1] every row of the table is told', () => {
  const all = [...logs.map(({ events }) => events), place(AGENTS)].flatMap(
    (events) => tell(events).messages,
  )
  expect([...new Set(all.map(labelOf))].sort()).toEqual(LABELS)
})

const short = (message: UiSseMessage): string => {
  const status = message.kind === 'activity' ? ((message.data!['status'] as string) ?? 'call') : ''
  return [labelOf(message), status, message.text].filter((word) => word).join(' ')
}

test('[API1] [RUN5] a run with thoughts and two calls, message by message', () => {
  const { messages } = tell(logOf('thinking-and-parallel-tools'))
  expect(messages.map(short)).toEqual([
    'run/sync',
    'message What is the weather in Paris and in Tokyo?',
    'run/sync',
    'activity/doing model_loading Model loading...',
    'activity/doing thinking Thinking...',
    'token Two cities, ',
    'token two calls.',
    'token/done',
    'token Let me look ',
    'activity/doing working Running',
    'token that up.',
    'token/done',
    'text_segment Let me look that up.',
    'activity/doing calling_tool Calling weather with Paris',
    'activity/doing working Calling weather with Paris',
    'activity/doing calling_tool Calling weather with 東京',
    'activity/doing working Calling weather with 東京',
    'run/context_usage',
    'tool_progress asking the station …\n',
    'tool_progress a warning\n',
    'activity/done call Called weather with 東京',
    'activity/doing working Calling weather with Paris',
    expect.stringMatching(/^activity\/done call Calling weather with Paris failed/),
    'activity/doing model_loading Model loading...',
    'token Tokyo has 21 °C 😀',
    'activity/doing working Running',
    'token ; Paris did ',
    'token not answer.',
    'token/done',
    'text_segment Tokyo has 21 °C 😀; Paris did not answer.',
    'run/context_usage',
    'message Let me look that up.\n\nTokyo has 21 °C 😀; Paris did not answer.',
    'run/outcome done',
    'activity/done idle Idle',
  ])
  const progress = messages.filter(({ kind }) => kind === 'tool_progress')
  expect(progress.map(({ data }) => data)).toEqual([
    { call_id: 'call_tokyo', tool: 'weather', offset: 0, stream: 'stdout' },
    { call_id: 'call_tokyo', tool: 'weather', offset: 21, stream: 'stderr' },
  ])
  expect(messages.find(({ kind }) => kind === 'token')?.data).toMatchObject({ thinking: true })
  expect(messages.at(-2)?.data).toMatchObject({ outcome: 'done', stop_reason: 'stop' })
})

test('[API1] what waits for a person: a question as in the document, a decision as a phase of it', () => {
  const { told } = tell(logOf('decisions'))
  const at = (seq: number): UiSseMessage => told[seq - 1]![0]!
  expect(at(12)).toMatchObject({
    kind: 'ask_user',
    data: { question_id: `${SESSION}.q12`, call_id: 'call_3', questions: [{ id: 'where' }] },
  })
  expect(at(12)).not.toHaveProperty('phase')
  expect(at(15)).toMatchObject({
    kind: 'ask_user',
    phase: 'decision',
    text: 'the tool deploy can change something',
    data: { decision_id: `${SESSION}.d15`, decision_kind: 'tool', severity: 'medium' },
  })
  expect(told[15]!.at(-1)).toMatchObject({
    text: 'Waiting for an answer',
    data: { status: 'working', waiting: true },
  })
  expect(at(20)).toMatchObject({
    kind: 'run',
    phase: 'sync',
    text: 'Not now.',
    data: { reason: 'decision_resolved', decision_id: `${SESSION}.d16`, status: 'rejected' },
  })
  expect(at(22)).toMatchObject({
    phase: 'sync',
    data: { reason: 'ask_user_answered', answers: { where: 'there' } },
  })
  // The person changed what it was called with.
  expect(at(19)).toMatchObject({ text: 'Called deploy with test', data: { outcome: 'success' } })
})

test('[API1] a message that enters a run comes after what the agent had said', () => {
  const run = { runId: `${SESSION}.2`, responseId: `${SESSION}.2.1` }
  const { told } = tell(
    place([
      { type: 'session_created', sessionId: SESSION, agent: 'parley', model: 'scripted' },
      { type: 'run_started', ...run, model: 'scripted', agent: 'parley', attempt: 1 },
      { type: 'text_done', responseId: run.responseId, partId: 'p1', text: 'So far.' },
      { type: 'user_message', messageId: 'c2', text: 'Wait', attachments: [], delivery: 'steer' },
    ]),
  )
  expect(told[2]!.map(short)).toEqual([
    'token/done So far.',
    'text_segment So far.',
    'activity/doing working Running',
  ])
  expect(told[3]!.slice(0, 2)).toMatchObject([
    { kind: 'message', text: 'So far.', data: { from: 'parley', to: 'user', outcome: null } },
    { kind: 'message', text: 'Wait', data: { from: 'user', to: 'parley', delivery: 'steer' } },
  ])
})

test.each([
  ['another agent', { parentRunId: 'other-0123456789.3' }, 'coder'],
  ['a person, whose agent was called back', {}, 'user'],
])('[API1] [AGT2] the answer to %s is told as one to them', (_who, parent, to) => {
  const run = { runId: `${SESSION}.2`, responseId: `${SESSION}.2.1` }
  const asker = { sessionId: 'other-0123456789', agent: 'coder', hops: 1, budget: 0, path: [] }
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  const start = { ...run, model: 'scripted', agent: 'parley', attempt: 1, asker, ...parent }
  const { messages } = tell(
    place([
      { type: 'session_created', sessionId: SESSION, agent: 'parley', model: 'scripted' },
      { type: 'run_started', ...start },
      { type: 'text_done', responseId: run.responseId, partId: 'p1', text: 'Seven.' },
      { type: 'run_done', ...run, outcome: 'done', stopReason: 'stop', usage, durationMs: 1 },
    ]),
  )
  expect(messages.filter(({ kind }) => kind === 'message')).toMatchObject([
    { text: 'Seven.', data: { from: 'parley', to } },
  ])
})

test('[API1] [AGT5] what a child does is told as of the child, and has no status of this session', () => {
  const { messages } = tell(place(AGENTS))
  const told = messages.filter(({ data }) => data?.subagent_status !== undefined)
  expect(told).toMatchObject([
    { text: 'Reading a.txt', agent_id: 'coder', data: { subagent_status: 'running' } },
  ])
  expect(told[0]!.data).not.toHaveProperty('status')
})

test('[API1] agents that talk to each other are told as messages and runs', () => {
  const { messages } = tell(place(AGENTS))
  expect(messages.slice(1)).toMatchObject([
    {
      kind: 'message',
      text: 'Is it true?',
      data: { from: 'critic', to: 'parley', exchange_id: 'x1', hops: 1 },
    },
    { phase: 'sync', agent_id: 'writer', data: { reason: 'run_started', exchange_id: 'x1' } },
    { kind: 'activity', data: { status: 'model_loading' } },
    {
      phase: 'subagent_spawned',
      text: 'Count the words',
      data: { parent_id: `${SESSION}.3`, subagent_id: 'child-0123456789.3' },
    },
    { kind: 'activity', data: { waiting: true } },
    {
      kind: 'activity',
      text: 'Reading a.txt',
      data: { subagent_id: 'child-0123456789.3', subagent_status: 'running', tool_count: 1 },
    },
    {
      phase: 'subagent_result',
      text: '12',
      data: { parent_id: `${SESSION}.3`, subagent_id: 'child-0123456789.3', outcome: 'done' },
    },
    { kind: 'activity', data: { status: 'model_loading' } },
    { kind: 'message', data: { from: 'writer', to: 'critic', exchange_id: 'x2', wait: false } },
    {
      kind: 'message',
      text: 'It is fine.',
      data: {
        from: 'critic',
        to: 'writer',
        ok: true,
        tool_calls: [{ call_id: 'c', tool: 'calculate', ok: true }],
      },
    },
    {
      kind: 'activity',
      phase: 'doing',
      text: 'Look again',
      data: { status: 'idle_prompt', prompt: 1, max_prompts: 3 },
    },
    { phase: 'sync', data: { reason: 'mission_updated', change: 'cleared', mission: null } },
    { phase: 'sync', data: { reason: 'override_updated', agent: 'writer' } },
  ])
})

test('[MOR3] a type of event that is not known is told as a change, whatever it is called', () => {
  const events = ['something_new', 'constructor', '__proto__'].map((type, index) => ({
    type,
    seq: index + 1,
    at: 0,
  })) as unknown as SessionEvent[]
  expect(tell(events).messages.map(({ data }) => data!['reason'])).toEqual([
    'something_new',
    'constructor',
    '__proto__',
  ])
})

test('[API1] live text is told without a place in the log', () => {
  const events = logOf('thinking-and-parallel-tools').slice(0, 8)
  const { fold } = tell(events)
  const responseId = `${SESSION}.3.1`
  const live = [
    { responseId, kind: 'text', partId: '3_1_2', offset: 12, text: 'that' },
    { responseId, kind: 'thinking', partId: '3_1_9', offset: 0, text: 'Hm' },
    { responseId, kind: 'tool_input', callId: 'c', toolName: 'bash', offset: 0, text: '{"comm' },
    { responseId, kind: 'tool_input', callId: 'c', toolName: 'bash', offset: 6, text: 'and":' },
    { responseId, kind: 'tool_output', callId: 'c', toolName: 'bash', offset: 0, text: 'out' },
  ] as const
  const messages = live.flatMap((fragment) => toLiveMessages(fold, fragment, 5))
  expect(messages).toMatchObject([
    { kind: 'token', text: 'that', data: { thinking: false, offset: 12, fragment: true } },
    { kind: 'token', text: 'Hm', data: { thinking: true } },
    { kind: 'activity', phase: 'doing', text: 'Running', data: { status: 'calling_tool' } },
    { kind: 'tool_progress', text: 'out', data: { tool: 'bash', call_id: 'c' } },
  ])
  for (const message of messages) {
    expect(message).toMatchObject({ id: `${SESSION}:8:0`, seq: 8, ts_ms: 5 })
    expect(parseUiMessageId(message.id)).toBeNull()
  }
})

test('[API1] what is of no log names its session where it is about one', () => {
  expect(toResync('slow', 7)).toMatchObject({
    kind: 'run',
    phase: 'resync',
    data: { reason: 'slow' },
  })
  expect(toResync('slow', 7)).not.toHaveProperty('session_id')
  expect(toConnected(7)).toMatchObject({ phase: 'sync', data: { reason: 'connected' } })
  expect(toRemoved(SESSION, 7)).toMatchObject({ session_id: SESSION, phase: 'sync' })
  expect(toResync('ahead', 7, SESSION)).toMatchObject({ session_id: SESSION, ts_ms: 7 })
})

test('[SAF2] what is not the id of a message is none', () => {
  const wrong = ['', '5', `${SESSION}:5`, `${SESSION}:0:1`, `${SESSION}:5:0`, `${SESSION}:5:1:1`]
  for (const text of [...wrong, 'short:5:1', `${SESSION}:-1:1`, `*:0:0`, `${SESSION}:5:1\n`])
    expect(parseUiMessageId(text), text).toBeNull()
})

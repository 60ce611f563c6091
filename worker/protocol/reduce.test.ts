import { describe, expect, test } from 'vitest'
import { FuzzSession } from '../testing/node/fuzz-session.ts'
import type { EventBody, EventOf, EventType, SessionEvent } from './events.ts'
import { deltaPartOf, openPartIds } from './live.ts'
import { applyEvent, fold } from './reduce.ts'
import { EMPTY_STATE, type SessionState } from './state.ts'
import type { AssistantTurn, ToolPart } from './turns.ts'

const SESSION = 'session-0123456789'
const RUN = `${SESSION}.3`
const FIRST = `${RUN}.1`
const SECOND = `${RUN}.2`
const USAGE = { inputTokens: 10, outputTokens: 5, cachedTokens: 1 }

const timeOf = (seq: number): number => 1000 + seq * 10

const toEvents = (bodies: readonly EventBody[], after = 0): SessionEvent[] =>
  bodies.map((body, index) => ({
    seq: after + index + 1,
    at: timeOf(after + index + 1),
    ...body,
  }))

const foldBodies = (...bodies: EventBody[]): SessionState => fold(toEvents(bodies))

const created: EventBody = {
  type: 'session_created',
  sessionId: SESSION,
  agent: 'parley',
  model: 'scripted',
}
const message = (
  messageId: string,
  more: Partial<EventOf<'user_message'>> = {},
): EventOf<'user_message'> => ({
  type: 'user_message',
  messageId,
  text: `text of ${messageId}`,
  attachments: [],
  delivery: 'queue',
  ...more,
})
const started = (attempt = 1, responseId = FIRST): EventBody => ({
  type: 'run_started',
  runId: RUN,
  responseId,
  model: 'run-model',
  agent: 'run-agent',
  attempt,
})
const textDelta = (offset: number, delta: string, responseId = FIRST): EventBody => ({
  type: 'text_delta',
  responseId,
  partId: 'p1',
  offset,
  delta,
})
const textDone = (
  text: string,
  more: { partId?: string; interrupted?: boolean } = {},
): EventBody => ({ type: 'text_done', responseId: FIRST, partId: 'p1', text, ...more })
const call = (callId: string, responseId = FIRST): EventBody => ({
  type: 'tool_call_start',
  responseId,
  callId,
  toolName: 'search',
  arguments: `{"q":"${callId}"}`,
})
const output = (callId: string, offset: number, delta: string): EventBody => ({
  type: 'tool_output_delta',
  callId,
  offset,
  delta,
})
const result = (
  callId: string,
  more: Partial<EventOf<'tool_result'>> = { result: `result of ${callId}` },
): EventBody => ({
  type: 'tool_result',
  callId,
  toolName: 'search',
  ok: true,
  durationMs: 7,
  ...more,
})
const done = (more: Partial<EventOf<'run_done'>> = {}): EventBody => ({
  type: 'run_done',
  runId: RUN,
  outcome: 'done',
  stopReason: 'stop',
  usage: USAGE,
  durationMs: 99,
  ...more,
})

/** Created, asked, begun: seq 1 to 3. */
const RUNNING = [created, message('m1'), started()]

const toolsOf = (state: SessionState): ToolPart[] =>
  (state.open?.parts ?? []).filter((part) => part.kind === 'tool')

const shape = (state: SessionState) =>
  state.turns.map((turn) =>
    turn.kind === 'assistant' ? turn.parts.map((part) => part.kind) : turn.kind,
  )

const logOf = async (seed: number): Promise<SessionEvent[]> =>
  (await FuzzSession.run(seed, 150)).harness.events()

const asked: EventBody = {
  type: 'decision_requested',
  decisionId: 'd1',
  callId: 'c1',
  kind: 'command',
  severity: 'critical',
  reason: 'deletes files',
  command: 'rm -r a',
  cwd: '/workspace',
}
const QUESTIONS = [{ id: '1', text: 'Which colour?', options: ['red', 'blue'] }]
const RULE = {
  ruleId: 'd1',
  verdict: 'allow',
  kind: 'tool',
  pattern: 'deploy',
  description: 'deploy, whatever its arguments',
  createdAt: 1,
} as const
const FILE = {
  path: 'a.txt',
  action: 'modified',
  additions: 2,
  deletions: 1,
  before: 'h1',
  after: 'h2',
  size: 9,
} as const

const AGENT_MESSAGE = {
  type: 'agent_message',
  messageId: 'x1',
  from: 'coder',
  fromSessionId: 'other',
  exchangeId: 'x1',
  text: 'Is it done?',
  hops: 1,
} as const
const EXCHANGE = {
  type: 'exchange_started',
  runId: RUN,
  exchangeId: 'x1',
  callId: 'c1',
  toSessionId: 'other',
  toAgent: 'coder',
  text: 'Is it done?',
  wait: true,
  hops: 1,
  budget: 3,
  expiresAt: 99,
} as const
const CALLBACK: EventBody = {
  type: 'agent_callback_result',
  exchangeId: 'x1',
  from: 'coder',
  sessionId: 'other',
  runId: 'other.3',
  ok: true,
  result: 'Yes.',
  toolCalls: [],
  as: 'result',
  callId: 'c1',
  budget: 2,
  hops: 1,
}
const SPAWNED = {
  type: 'subagent_spawned',
  runId: RUN,
  callId: 'c1',
  childSessionId: 'child',
  childRunId: 'child.3',
  agent: 'coder',
  task: 'Count',
  budget: 2,
} as const
const CHILD_WAIT = {
  id: 'child.d5',
  sessionId: 'child',
  callId: 'k1',
  kind: 'command',
  title: 'rm -rf build',
  reason: 'deletes',
  severity: 'high',
  at: 1,
} as const
const MISSION = {
  missionId: 'g1',
  text: 'Keep the list short',
  everyMinutes: 5,
  maxPrompts: 3,
  prompts: 0,
  status: 'active',
  setAt: 1,
  by: 'owner',
} as const

describe('one event of every type', () => {
  // A new event type does not compile until it has a line here.
  const cases: Record<EventType, { before: EventBody[]; event: EventBody; gives: object }> = {
    session_created: {
      before: [],
      event: created,
      gives: {
        session: {
          id: SESSION,
          agent: 'parley',
          model: 'scripted',
          createdAt: timeOf(1),
          updatedAt: timeOf(1),
          title: null,
        },
      },
    },
    mission_updated: {
      before: [created],
      event: { type: 'mission_updated', mission: MISSION, by: 'owner', reason: 'set' },
      gives: {
        mission: { ...MISSION, setSeq: 2, since: timeOf(2), reason: 'set', runId: null },
        turns: [],
      },
    },
    idle_prompt: {
      before: [created, { type: 'mission_updated', mission: MISSION, by: 'owner', reason: 'set' }],
      event: { type: 'idle_prompt', missionId: 'g1', runId: 's.4', text: 'Keep', n: 1, of: 3 },
      gives: {
        mission: { prompts: 1, runId: 's.4', setSeq: 2 },
        session: { messages: 1, firstText: 'Keep', updatedAt: timeOf(3) },
        turns: [{ kind: 'idle_prompt', seq: 3, at: timeOf(3), text: 'Keep', n: 1, of: 3 }],
      },
    },
    override_updated: {
      before: [created],
      event: { type: 'override_updated', agentId: 'coder', override: { tools: [] }, by: 'owner' },
      gives: { overrides: [{ agentId: 'coder', override: { tools: [] } }] },
    },
    session_configured: {
      before: [created],
      event: { type: 'session_configured', changes: { title: 'Plans', recovery: 'stop' } },
      gives: { session: { title: 'Plans', recovery: 'stop', model: 'scripted' } },
    },
    session_cleared: {
      before: [...RUNNING, textDone('an answer'), done()],
      event: { type: 'session_cleared', by: 'owner' },
      gives: { turns: [], open: null, session: { messages: 0, clearedSeq: 6 } },
    },
    user_message: {
      before: [created],
      event: message('m1', { to: 'someone', attachments: [{ name: 'a.txt', content: 'A' }] }),
      gives: {
        turns: [
          {
            kind: 'user',
            seq: 2,
            at: timeOf(2),
            messageId: 'm1',
            text: 'text of m1',
            to: 'someone',
            attachments: [{ name: 'a.txt', content: 'A' }],
            delivery: 'queue',
          },
        ],
        session: { firstText: 'text of m1', messages: 1, updatedAt: timeOf(2) },
      },
    },
    agent_message: {
      before: [created],
      event: AGENT_MESSAGE,
      gives: {
        turns: [
          {
            kind: 'agent',
            seq: 2,
            at: timeOf(2),
            messageId: 'x1',
            from: 'coder',
            fromSessionId: 'other',
            exchangeId: 'x1',
            text: 'Is it done?',
          },
        ],
        session: { firstText: 'Is it done?', messages: 1 },
      },
    },
    exchange_started: {
      before: [...RUNNING, call('c1')],
      event: EXCHANGE,
      gives: {
        exchanges: [{ exchangeId: 'x1', callId: 'c1', runId: RUN, wait: true, budget: 3 }],
        run: { status: 'running', waiting: true, spent: 4, contacts: 1 },
        open: { parts: [{ callId: 'c1', exchange: { exchangeId: 'x1', toAgent: 'coder' } }] },
      },
    },
    agent_callback_result: {
      before: [...RUNNING, call('c1'), EXCHANGE],
      event: CALLBACK,
      gives: {
        exchanges: [],
        run: { status: 'running', spent: 2, contacts: 1 },
        open: { parts: [{ callId: 'c1', exchange: { answer: { ok: true, result: 'Yes.' } } }] },
      },
    },
    subagent_spawned: {
      before: [...RUNNING, call('c1')],
      event: SPAWNED,
      gives: {
        children: [{ childRunId: 'child.3', callId: 'c1', status: 'running', waits: [] }],
        run: { status: 'running', waiting: true, spent: 3, contacts: 1 },
        open: { parts: [{ callId: 'c1', child: { status: 'running', task: 'Count', tools: 0 } }] },
      },
    },
    subagent_progress: {
      before: [...RUNNING, call('c1'), SPAWNED],
      event: {
        type: 'subagent_progress',
        runId: RUN,
        childRunId: 'child.3',
        status: 'waiting',
        activity: 'bash',
        tools: 2,
        waits: [CHILD_WAIT],
      },
      gives: {
        children: [{ status: 'waiting', waits: [CHILD_WAIT] }],
        open: { parts: [{ child: { status: 'waiting', activity: 'bash', tools: 2 } }] },
      },
    },
    subagent_result: {
      before: [...RUNNING, call('c1'), SPAWNED],
      event: {
        type: 'subagent_result',
        runId: RUN,
        childRunId: 'child.3',
        outcome: 'done',
        summary: 'Four.',
        tools: 3,
        durationMs: 7,
        budget: 2,
      },
      gives: {
        children: [],
        run: { status: 'running', spent: 1, contacts: 1 },
        open: { parts: [{ child: { status: 'done', summary: 'Four.', tools: 3 } }] },
      },
    },
    queue_updated: {
      before: RUNNING,
      event: {
        type: 'queue_updated',
        items: [{ itemId: 'm2', text: 'next', delivery: 'queue', from: 'owner' }],
        held: true,
      },
      gives: { queue: { items: [{ itemId: 'm2', text: 'next' }], held: true } },
    },
    run_started: {
      before: [created, message('m1')],
      event: started(),
      gives: {
        run: {
          status: 'running',
          runId: RUN,
          responseId: FIRST,
          model: 'run-model',
          agent: 'run-agent',
          attempt: 1,
          startedAt: timeOf(3),
        },
        open: {
          responseId: FIRST,
          runId: RUN,
          model: 'run-model',
          agent: 'run-agent',
          seq: 3,
          at: timeOf(3),
          parts: [],
        },
      },
    },
    text_delta: {
      before: RUNNING,
      event: textDelta(0, 'Hello'),
      gives: { open: { parts: [{ kind: 'text', partId: 'p1', text: 'Hello', state: 'open' }] } },
    },
    text_done: {
      before: [...RUNNING, textDelta(0, 'Hel')],
      event: textDone('Hello.'),
      gives: { open: { parts: [{ kind: 'text', text: 'Hello.', state: 'done' }] } },
    },
    thinking_start: {
      before: RUNNING,
      event: { type: 'thinking_start', responseId: FIRST, partId: 't1', callId: 'c9' },
      gives: {
        open: {
          parts: [{ kind: 'thinking', partId: 't1', text: '', state: 'open', callId: 'c9' }],
        },
      },
    },
    thinking_delta: {
      before: [...RUNNING, { type: 'thinking_start', responseId: FIRST, partId: 't1' }],
      event: { type: 'thinking_delta', responseId: FIRST, partId: 't1', offset: 0, delta: 'Hm' },
      gives: { open: { parts: [{ kind: 'thinking', text: 'Hm', state: 'open' }] } },
    },
    thinking_done: {
      before: [...RUNNING, { type: 'thinking_start', responseId: FIRST, partId: 't1' }],
      event: {
        type: 'thinking_done',
        responseId: FIRST,
        partId: 't1',
        text: 'Hmm.',
        interrupted: true,
      },
      gives: { open: { parts: [{ kind: 'thinking', text: 'Hmm.', state: 'interrupted' }] } },
    },
    tool_call_start: {
      before: RUNNING,
      event: call('c1'),
      gives: {
        open: {
          parts: [
            {
              kind: 'tool',
              callId: 'c1',
              toolName: 'search',
              arguments: '{"q":"c1"}',
              status: 'pending',
              startedAt: timeOf(4),
              output: '',
            },
          ],
        },
      },
    },
    tool_output_delta: {
      before: [...RUNNING, call('c1')],
      event: output('c1', 0, 'line 1\n'),
      gives: { open: { parts: [{ status: 'pending', output: 'line 1\n' }] } },
    },
    tool_result: {
      before: [...RUNNING, call('c1'), output('c1', 0, 'line 1\n')],
      event: result('c1', { result: 'all of it', truncated: true }),
      gives: {
        open: {
          parts: [
            { status: 'success', output: '', result: 'all of it', truncated: true, durationMs: 7 },
          ],
        },
      },
    },
    decision_requested: {
      before: [...RUNNING, call('c1')],
      event: asked,
      gives: {
        run: { waiting: true },
        decisions: [{ decisionId: 'd1', callId: 'c1', title: 'rm -r a', severity: 'critical' }],
        open: {
          parts: [{ status: 'pending', decision: { status: 'pending', command: 'rm -r a' } }],
        },
      },
    },
    decision_resolved: {
      before: [...RUNNING, call('c1'), asked],
      event: {
        type: 'decision_resolved',
        decisionId: 'd1',
        callId: 'c1',
        kind: 'command',
        status: 'accepted',
        by: 'alice',
        severity: 'low',
        reason: 'it is fine so',
        edits: { command: 'ls a' },
        scope: 'once',
      },
      gives: {
        run: { status: 'running' },
        decisions: [],
        open: {
          parts: [
            {
              decision: {
                decisionId: 'd1',
                status: 'accepted',
                severity: 'low',
                command: 'rm -r a',
                edits: { command: 'ls a' },
                note: 'it is fine so',
                by: 'alice',
              },
            },
          ],
        },
      },
    },
    ask_user: {
      before: [...RUNNING, call('c1')],
      event: { type: 'ask_user', questionId: 'q1', callId: 'c1', questions: QUESTIONS },
      gives: {
        run: { waiting: true },
        questions: [{ questionId: 'q1', callId: 'c1', questions: QUESTIONS }],
        open: { parts: [{ question: { questionId: 'q1', questions: QUESTIONS } }] },
      },
    },
    ask_user_answered: {
      before: [
        ...RUNNING,
        call('c1'),
        { type: 'ask_user', questionId: 'q1', callId: 'c1', questions: QUESTIONS },
      ],
      event: {
        type: 'ask_user_answered',
        questionId: 'q1',
        callId: 'c1',
        answers: { 1: 'red' },
        by: 'alice',
      },
      gives: {
        questions: [],
        open: { parts: [{ question: { answers: { 1: 'red' }, by: 'alice' } }] },
      },
    },
    plan_update: {
      before: RUNNING,
      event: { type: 'plan_update', runId: RUN, plan: { title: 'Paint', steps: [] } },
      gives: { plan: { title: 'Paint', steps: [] } },
    },
    rule_added: {
      before: [created],
      event: { type: 'rule_added', rule: RULE },
      gives: { session: { rules: [RULE] } },
    },
    rule_removed: {
      before: [created, { type: 'rule_added', rule: RULE }],
      event: { type: 'rule_removed', ruleId: 'd1', by: 'alice' },
      gives: { session: { rules: [] } },
    },
    files_changed: {
      before: RUNNING,
      event: { type: 'files_changed', checkpointId: 'c3', runId: RUN, files: [FILE] },
      gives: {
        changes: [{ checkpointId: 'c3', files: [{ path: 'a.txt', undone: [], kept: [] }] }],
        open: { parts: [{ kind: 'changes', checkpointId: 'c3', files: [FILE] }] },
      },
    },
    file_change_result: {
      before: [
        ...RUNNING,
        { type: 'files_changed', checkpointId: 'c3', runId: RUN, files: [FILE] },
      ],
      event: {
        type: 'file_change_result',
        checkpointId: 'c3',
        path: 'a.txt',
        hunk: 0,
        action: 'undo',
        ok: true,
        by: 'alice',
        undone: [0],
        kept: [],
        left: 1,
        hash: 'h0',
        size: 3,
      },
      gives: { changes: [{ checkpointId: 'c3', files: [{ path: 'a.txt', undone: [0] }] }] },
    },
    model_fallback: {
      before: RUNNING,
      event: {
        type: 'model_fallback',
        runId: RUN,
        preferred: 'run-model',
        actual: 'second',
        reason: 'too busy',
      },
      gives: {
        run: { status: 'running', model: 'second' },
        open: {
          parts: [
            {
              kind: 'notice',
              level: 'warning',
              code: 'model_fallback',
              message: 'too busy',
              fallback: { preferred: 'run-model', actual: 'second' },
            },
          ],
        },
      },
    },
    context_usage: {
      before: RUNNING,
      event: {
        type: 'context_usage',
        runId: RUN,
        messages: 2,
        tokens: 120,
        window: 1000,
        compacted: false,
        estimate: 100,
      },
      gives: {
        context: {
          messages: 2,
          tokens: 120,
          window: 1000,
          compacted: false,
          estimate: 100,
          upToSeq: 0,
        },
      },
    },
    compacted: {
      before: RUNNING,
      event: { type: 'compacted', runId: RUN, upToSeq: 2, summary: 'They spoke.' },
      gives: {
        context: { compacted: true, upToSeq: 2 },
        open: {
          parts: [{ kind: 'notice', level: 'info', code: 'compacted', message: 'They spoke.' }],
        },
      },
    },
    warning: {
      before: RUNNING,
      event: { type: 'warning', runId: RUN, code: 'no_tools', message: 'cannot call tools' },
      gives: {
        open: {
          parts: [
            {
              kind: 'notice',
              seq: 4,
              level: 'warning',
              code: 'no_tools',
              message: 'cannot call tools',
            },
          ],
        },
      },
    },
    error: {
      before: [created],
      event: { type: 'error', code: 'oops', message: 'outside a run' },
      gives: {
        turns: [
          {
            kind: 'notice',
            at: timeOf(2),
            notice: {
              kind: 'notice',
              seq: 2,
              level: 'error',
              code: 'oops',
              message: 'outside a run',
            },
          },
        ],
      },
    },
    output_cancelled: {
      before: RUNNING,
      event: {
        type: 'output_cancelled',
        runId: RUN,
        responseId: FIRST,
        by: 'alice',
        reason: 'user',
      },
      gives: { run: { status: 'running', cancelled: { by: 'alice', reason: 'user' } } },
    },
    run_done: {
      before: [...RUNNING, textDone('Hello.')],
      event: done(),
      gives: {
        run: { status: 'idle' },
        open: null,
        lastRun: { runId: RUN, outcome: 'done', seq: 5 },
        usage: { ...USAGE, runs: 1 },
        turns: [
          { kind: 'user' },
          {
            kind: 'assistant',
            responseId: FIRST,
            end: { outcome: 'done', stopReason: 'stop', usage: USAGE, durationMs: 99 },
            parts: [{ text: 'Hello.', state: 'done' }],
          },
        ],
      },
    },
  }

  test.each(Object.entries(cases))('[LOG2] folds %s', (_type, { before, event, gives }) => {
    const state = foldBodies(...before, event)
    expect(state).toMatchObject(gives)
    expect(state.seq).toBe(before.length + 1)
  })
})

describe('session fields', () => {
  test('[SES1] a change names only what changes; a field without a value is left alone', () => {
    const state = foldBodies(
      created,
      { type: 'session_configured', changes: { title: 'Plans', pinned: true } },
      { type: 'session_configured', changes: { title: undefined, mode: 'plan' } },
    )
    expect(state.session).toMatchObject({ title: 'Plans', pinned: true, mode: 'plan' })
  })

  test('[SES1] the first message alone gives the derived title, cut to what a list needs', () => {
    const state = foldBodies(
      created,
      message('m1', { text: 'x'.repeat(300) }),
      message('m2', { text: 'later' }),
    )
    expect(state.session.firstText).toBe('x'.repeat(200))
    expect(state.session.messages).toBe(2)
  })

  test('a clear keeps configuration, queue, usage and the last run', () => {
    const before = foldBodies(...RUNNING, textDone('an answer'), done())
    const after = applyEvent(before, {
      type: 'session_cleared',
      by: 'owner',
      seq: 6,
      at: timeOf(6),
    })
    expect(after).toEqual({
      ...before,
      seq: 6,
      turns: [],
      session: { ...before.session, messages: 0, clearedSeq: 6 },
    })
  })
})

describe('a run', () => {
  test('[RUN9] a continuation keeps run, response and start, and counts the attempt', () => {
    const state = foldBodies(...RUNNING, textDone('Half an', { interrupted: true }), started(2))
    expect(state.run).toMatchObject({ attempt: 2, startedAt: timeOf(3), responseId: FIRST })
    expect(state.open).toMatchObject({ seq: 3, parts: [{ text: 'Half an' }] })
  })

  test('[RUN4] usage adds up over runs, and cost only where one is known', () => {
    const one = foldBodies(...RUNNING, done())
    expect(one.usage).toEqual({ ...USAGE, runs: 1 })
    const two = fold(toEvents([done({ usage: { ...USAGE, costUsd: 0.25 } })], one.seq), one)
    const three = fold(toEvents([done()], two.seq), two)
    expect(three.usage).toEqual({
      inputTokens: 30,
      outputTokens: 15,
      cachedTokens: 3,
      runs: 3,
      costUsd: 0.25,
    })
  })

  test('[CAN3] a cancelled run says by whom and why, and an empty one leaves an empty turn', () => {
    const cancelled: EventBody = {
      type: 'output_cancelled',
      runId: RUN,
      responseId: FIRST,
      by: 'alice',
      reason: 'interrupt',
    }
    const state = foldBodies(...RUNNING, cancelled, done({ outcome: 'cancelled' }))
    expect(state.turns.at(-1)).toMatchObject({
      kind: 'assistant',
      parts: [],
      end: { outcome: 'cancelled', by: 'alice', reason: 'interrupt' },
    })
  })

  test('[RUN2] text at an offset replaces what stood there and after it', () => {
    const state = foldBodies(...RUNNING, textDelta(0, 'Hello wurld'), textDelta(7, 'orld'))
    expect(state.open?.parts).toMatchObject([{ text: 'Hello world' }])
  })

  test('[RUN2] a part that has no delta before its end is a part all the same', () => {
    const state = foldBodies(...RUNNING, textDone('At once.'))
    expect(state.open?.parts).toEqual([
      { kind: 'text', partId: 'p1', text: 'At once.', state: 'done' },
    ])
  })

  test('[CAN3] partial text stays where it was, before the calls that followed it', () => {
    const state = foldBodies(
      ...RUNNING,
      textDelta(0, 'Let me look'),
      textDone('Let me look'),
      call('c1'),
      result('c1', { ok: false, error: { code: 'tool_interrupted', message: 'stopped' } }),
      done({ outcome: 'cancelled' }),
    )
    const turn = state.turns.at(-1) as AssistantTurn
    expect(turn.parts.map((part) => part.kind)).toEqual(['text', 'tool'])
  })
})

describe('tools', () => {
  test('[TOOL4] results in any order land on their own calls', () => {
    const state = foldBodies(
      ...RUNNING,
      call('c1'),
      call('c2'),
      call('c3'),
      result('c3'),
      result('c1'),
      result('c2'),
    )
    expect(toolsOf(state).map(({ callId, result: text }) => [callId, text])).toEqual([
      ['c1', 'result of c1'],
      ['c2', 'result of c2'],
      ['c3', 'result of c3'],
    ])
  })

  test.each([
    ['tool_error', 'error'],
    ['tool_invalid_input', 'error'],
    ['tool_timeout', 'error'],
    ['rate_limit_tools', 'error'],
    ['tool_interrupted', 'interrupted'],
    ['tool_denied', 'denied'],
  ] as const)('[TOOL2] [TOOL3] a result with %s reads as %s', (code, status) => {
    const error = { code, message: 'why' }
    const state = foldBodies(...RUNNING, call('c1'), result('c1', { ok: false, error }))
    expect(toolsOf(state)[0]).toMatchObject({ status, error })
    expect(toolsOf(state)[0]).not.toHaveProperty('result')
  })

  test('[TOOL2] a truncated success is a success with a mark', () => {
    const state = foldBodies(
      ...RUNNING,
      call('c1'),
      result('c1', { result: 'cut', truncated: true }),
    )
    expect(toolsOf(state)[0]).toMatchObject({ status: 'success', truncated: true })
  })

  test('output and results of calls that are not open change nothing but the place', () => {
    const before = foldBodies(...RUNNING, call('c1'))
    const after = fold(toEvents([output('gone', 0, 'x'), result('gone')], before.seq), before)
    expect(after).toEqual({ ...before, seq: before.seq + 2 })
    const idle = foldBodies(created)
    expect(fold(toEvents([result('gone')], 1), idle)).toEqual({ ...idle, seq: 2 })
  })
})

describe('the title of a decision', () => {
  test.each([
    ['rm -r a', 'rm -r a'],
    ['ls\nrm -r a', 'ls…'],
    ['x'.repeat(201), `${'x'.repeat(199)}…`],
  ])('[DEC6] of %j says whether it is all there is', (command, title) => {
    const state = foldBodies(...RUNNING, call('c1'), { ...asked, command })
    expect(state.decisions).toMatchObject([{ title }])
  })
})

describe('a steer', () => {
  test('[QUE2] settles the answer so far and moves the run to its next response', () => {
    const state = foldBodies(
      ...RUNNING,
      call('c1'),
      result('c1'),
      message('m2', { delivery: 'steer' }),
    )
    expect(state.turns).toMatchObject([
      { kind: 'user', messageId: 'm1' },
      { kind: 'assistant', responseId: FIRST, end: null, parts: [{ callId: 'c1' }] },
      { kind: 'user', messageId: 'm2', delivery: 'steer' },
    ])
    expect(state.run).toMatchObject({ status: 'running', runId: RUN, responseId: SECOND })
    const after = fold(toEvents([textDelta(0, 'Then', SECOND), done()], state.seq), state)
    expect(after.turns.at(-1)).toMatchObject({
      responseId: SECOND,
      runId: RUN,
      model: 'run-model',
      parts: [{ text: 'Then' }],
      end: { outcome: 'done' },
    })
  })

  test('[QUE2] two at once settle the answer once', () => {
    const state = foldBodies(
      ...RUNNING,
      textDone('One.'),
      message('m2', { delivery: 'steer' }),
      message('m3', { delivery: 'steer' }),
    )
    expect(state.turns.map((turn) => turn.kind)).toEqual(['user', 'assistant', 'user', 'user'])
    expect(state.run).toMatchObject({ responseId: SECOND })
  })

  test('[QUE2] before the first word leaves no empty answer and keeps the response id', () => {
    const state = foldBodies(...RUNNING, message('m2', { delivery: 'steer' }))
    expect(state.turns.map((turn) => turn.kind)).toEqual(['user', 'user'])
    expect(state.run).toMatchObject({ responseId: FIRST })
    const after = fold(toEvents([textDelta(0, 'Yes'), done()], state.seq), state)
    expect(after.turns.map((turn) => turn.kind)).toEqual(['user', 'user', 'assistant'])
    expect(after.turns.at(-1)).toMatchObject({ responseId: FIRST, parts: [{ text: 'Yes' }] })
  })

  test('[QUE2] [LOG2] the answer below it does not depend on a delta that a replay leaves out', () => {
    const delta = textDelta(0, 'Th', SECOND)
    const rest: EventBody[] = [
      { type: 'text_done', responseId: SECOND, partId: 'p1', text: 'Then.' },
      done(),
    ]
    const events = toEvents([
      ...RUNNING,
      textDone('One.'),
      message('m2', { delivery: 'steer' }),
      delta,
      ...rest,
    ])
    expect(fold(events.filter((event) => event.type !== 'text_delta'))).toEqual(fold(events))
  })

  test('[QUE2] [CAN3] and a cancel before the next word still gives the run its end', () => {
    const state = foldBodies(
      ...RUNNING,
      textDone('One.'),
      message('m2', { delivery: 'steer' }),
      done({ outcome: 'cancelled' }),
    )
    expect(state.turns.at(-1)).toMatchObject({
      kind: 'assistant',
      responseId: SECOND,
      parts: [],
      end: { outcome: 'cancelled' },
    })
  })
})

describe('order and place', () => {
  test('an unseen n opens that response', () => {
    const state = foldBodies(created, textDelta(0, 'Hi', `${RUN}.7`))
    expect(state.open).toMatchObject({ responseId: `${RUN}.7`, runId: RUN, seq: 2 })
    // Nothing said which model: the session's own.
    expect(state.open).toMatchObject({ model: 'scripted', agent: 'parley' })
  })

  test('an event of a type that is not known yet keeps its place and changes nothing', () => {
    const before = foldBodies(...RUNNING)
    const unknown = { type: 'not_yet', more: {}, seq: 4, at: 0 } as unknown as SessionEvent
    expect(applyEvent(before, unknown)).toEqual({ ...before, seq: 4 })
  })

  test('[LOG3] an event applied twice changes nothing, to the very object', () => {
    const events = toEvents([...RUNNING, textDelta(0, 'Hello'), call('c1'), result('c1'), done()])
    let state = EMPTY_STATE
    for (const event of events) {
      state = applyEvent(state, event)
      for (const earlier of events.slice(0, event.seq)) {
        expect(applyEvent(state, earlier)).toBe(state)
      }
    }
    expect(fold(events, state)).toBe(state)
  })

  test('[RUN2] timestamps sort nothing: a clock that runs backwards gives the same turns', () => {
    const events = toEvents([...RUNNING, textDone('Hello.'), call('c1'), result('c1'), done()])
    const reversed = events.map((event) => ({ ...event, at: 5000 - event.at }))
    expect(shape(fold(reversed))).toEqual(shape(fold(events)))
  })
})

test('[LOG2] a notice that comes in the middle of a text stands where a replay without deltas puts it', () => {
  const warning: EventBody = { type: 'warning', code: 'undelivered', message: 'Not yet.' }
  const live = toEvents([...RUNNING, textDelta(0, 'Half '), warning, textDone('Half and half.')])
  const replayed = live.filter(({ type }) => type !== 'text_delta')
  expect(fold(live).open).toEqual(fold(replayed).open)
  expect(fold(live).open!.parts.map(({ kind }) => kind)).toEqual(['notice', 'text'])
})

describe('identity', () => {
  const settled = fold(
    toEvents([
      ...RUNNING,
      textDone('One.'),
      done(),
      message('m2'),
      { type: 'run_started', runId: `${SESSION}.7`, responseId: `${SESSION}.7.1` } as EventBody,
    ]),
  )

  test('[LOG2] a delta touches the open response and nothing else', () => {
    const next = fold(toEvents([textDelta(0, 'Two', `${SESSION}.7.1`)], settled.seq), settled)
    const { seq: _seq, open, ...rest } = next
    for (const [key, value] of Object.entries(rest)) {
      expect(value, key).toBe(settled[key as keyof SessionState])
    }
    expect(open).not.toBe(settled.open)
  })

  test('[LOG2] a delta keeps the parts it does not write to', () => {
    const first = fold(toEvents([call('c1', `${SESSION}.7.1`)], settled.seq), settled)
    const next = fold(toEvents([textDelta(0, 'Two', `${SESSION}.7.1`)], first.seq), first)
    expect(next.open?.parts[0]).toBe(first.open?.parts[0])
  })

  test('[LOG2] the end of a run keeps every settled turn', () => {
    const next = fold(toEvents([done({ runId: `${SESSION}.7` })], settled.seq), settled)
    expect(next.turns).toHaveLength(settled.turns.length + 1)
    for (const [index, turn] of settled.turns.entries()) expect(next.turns[index]).toBe(turn)
  })
})

describe('random logs of the real engine', () => {
  const SEEDS = Array.from({ length: 60 }, (_, index) => 7000 + index)

  test.each(SEEDS)(
    '[LOG2] seed %i: leaving out superseded deltas changes nothing',
    async (seed) => {
      const events = await logOf(seed)
      const full = fold(events)
      const open = new Set(openPartIds(full.open))
      const kept = events.filter((event) => {
        const part = deltaPartOf(event)
        return part === null || open.has(part)
      })
      expect(fold(kept)).toEqual(full)
    },
  )

  test.each(SEEDS.slice(0, 20))(
    '[LOG2] seed %i: a fold can stop and go on anywhere',
    async (seed) => {
      const events = await logOf(seed)
      const full = fold(events)
      for (let cut = 0; cut <= events.length; cut += 1 + (cut % 7)) {
        // What travels is JSON: nothing may live in the state that JSON does not carry.
        const carried = JSON.parse(JSON.stringify(fold(events.slice(0, cut)))) as SessionState
        expect(fold(events.slice(cut), carried)).toEqual(full)
      }
    },
  )

  test.each(SEEDS.slice(0, 20))(
    '[LOG2] seed %i: settled turns never change identity again',
    async (seed) => {
      let state = EMPTY_STATE
      for (const event of await logOf(seed)) {
        const next = applyEvent(state, event)
        if (event.type === 'session_cleared') expect(next.turns).toEqual([])
        else for (const [i, turn] of state.turns.entries()) expect(next.turns[i]).toBe(turn)
        if (deltaPartOf(event) !== null) expect(next.turns).toBe(state.turns)
        state = next
      }
    },
  )
})

test('[AGT5][CAN4] a child of a run that was stopped is cancelled, whatever was heard of it last', () => {
  const interrupted: EventBody = {
    type: 'tool_result',
    callId: 'c1',
    toolName: 'agents_spawn',
    ok: false,
    error: { code: 'tool_interrupted', message: 'Interrupted' },
    durationMs: 1,
  }
  const stopped = foldBodies(...RUNNING, call('c1'), SPAWNED, interrupted)
  expect(stopped.open?.parts).toMatchObject([
    { status: 'interrupted', child: { status: 'cancelled' } },
  ])
  expect(foldBodies(...RUNNING, call('c1'), SPAWNED, interrupted, done()).children).toEqual([])
})

import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import type { RunRecord } from '#protocol/http'
import { fold } from '#protocol/reduce'
import { call as callApp, createSession, TWO_OWNERS } from '../testing/call-app.ts'
import { callAll, message, say, sayAfter, spawn, toCall } from '../testing/agent-script.ts'
import { api, LiveSession, model, postJson, script } from '../testing/live-session.ts'

// Agents that talk to each other as real objects over real RPC. What the model says to a message is
// written in it: whoever is asked finds its own part in what it is asked.

const isRunDone = ({ type }: SessionEvent): boolean => type === 'run_done'

const runsOf = async (runId: string): Promise<RunRecord[]> => {
  const response = await api(`/agent-children?run_id=${runId}`)
  return (await response.json<{ runs: RunRecord[] }>()).runs
}

const CLOCK = toCall('text_stats', { text: 'one two three' })

describe('an exchange between objects', () => {
  test('[AGT2] [AGT6] waits for the answer of another session, and is among the children of its run', async () => {
    const other = await LiveSession.create()
    const part = script(callAll(CLOCK), say('Three words.'))
    const { session, socket } = await LiveSession.begin(
      script(callAll(message(other.id, part)), say('Thanks.')),
    )
    const { runId } = await socket.untilType('run_done')
    expect(await session.eventsOf('tool_result')).toMatchObject([
      { toolName: 'agents_message', ok: true, result: 'Three words.' },
    ])
    expect(await session.eventsOf('agent_callback_result')).toMatchObject([
      {
        sessionId: other.id,
        ok: true,
        as: 'result',
        toolCalls: [{ toolName: 'text_stats', ok: true }],
      },
    ])
    expect(await other.eventsOf('agent_message')).toMatchObject([
      { from: 'assistant', fromSessionId: session.id, text: part, hops: 1 },
    ])
    const [exchange] = await session.eventsOf('exchange_started')
    expect(await runsOf(runId)).toMatchObject([
      {
        session_id: other.id,
        parent_run_id: runId,
        exchange_id: exchange!.exchangeId,
        outcome: 'done',
        tool_calls: [{ tool: 'text_stats', ok: true }],
      },
    ])
    expect(await model.violations()).toEqual([])
  })

  test('[AGT2] by the name of an agent: its session is made once, and remembers', async () => {
    const { session, socket } = await LiveSession.begin(
      script(
        callAll(message('researcher', script(say('The first answer.')))),
        callAll(message('researcher', script(say('The second answer.')))),
        say('Thanks.'),
      ),
    )
    await socket.untilEvent(isRunDone)
    const [first, second] = await session.eventsOf('exchange_started')
    expect(second!.toSessionId).toBe(first!.toSessionId)
    const response = await api(`/sessions/${first!.toSessionId}`)
    expect(await response.json()).toMatchObject({ session: { agent: 'researcher' } })
    const peer = LiveSession.at(first!.toSessionId)
    const { turns } = fold(await peer.events())
    expect(turns.filter(({ kind }) => kind === 'assistant')).toHaveLength(2)
  })

  test('[checklist 5] [AGT2] [QUE1] agent-to-agent: messages queued, callbacks work', async () => {
    const other = await LiveSession.create()
    await other.command({
      type: 'send',
      text: script(sayAfter('agents-busy', 'For the person.')),
    })
    await model.reached('agents-busy')
    const watcher = await other.connect()
    const later = message(other.id, script(say('For the agent.')), { wait: false })
    const { session, socket } = await LiveSession.begin(script(callAll(later), say('I go on.')))
    await socket.untilEvent(isRunDone)
    // It is not disturbed in what it does, and everybody sees what waits there.
    await watcher.untilEvent(
      (event) => event.type === 'queue_updated' && event.items[0]?.from === 'assistant',
    )
    expect(await other.eventsOf('agent_message')).toEqual([])
    await model.release('agents-busy')
    await socket.untilType('agent_callback_result')
    await socket.untilEvent(
      (event) => isRunDone(event) && socket.events.filter(isRunDone).length === 2,
    )
    expect(await session.eventsOf('agent_callback_result')).toMatchObject([
      { as: 'message', ok: true, result: 'For the agent.' },
    ])
    const said = (await session.eventsOf('text_done')).map(({ text }) => text)
    expect(said[1]).toContain('For the agent.')
    const types = (await other.events()).map(({ type }) => type)
    expect(types.indexOf('agent_message')).toBeGreaterThan(types.indexOf('run_done'))
  })

  test('[checklist 11] [AGT2] [LOG2] agent exchanges: reconstructed with their tool blocks, on both sides', async () => {
    const { session, socket } = await LiveSession.begin(
      script(
        callAll(message('researcher', script(callAll(CLOCK), say('Three words.')))),
        say('Thanks.'),
      ),
    )
    await socket.untilEvent(isRunDone)
    const live = fold(socket.events)
    expect(fold(await session.events())).toEqual(live)
    const [asked] = await session.eventsOf('exchange_started')
    const answer = live.turns.findLast(({ kind }) => kind === 'assistant')
    expect(answer).toMatchObject({
      parts: [
        { kind: 'tool', callId: asked!.callId, status: 'success', result: 'Three words.' },
        { kind: 'text', text: 'Thanks.' },
      ],
    })
    const there = fold(await LiveSession.at(asked!.toSessionId).events())
    expect(there.turns.map(({ kind }) => kind)).toEqual(['agent', 'assistant'])
    expect(there.turns[1]).toMatchObject({
      parts: [{ kind: 'tool', toolName: 'text_stats' }, { kind: 'text' }],
    })
  })

  test('[SAF1] [AGT2] the session of another owner is not there: nothing is stored in it', async () => {
    const alice = { token: 'alice-token', vars: TWO_OWNERS }
    const bob = { token: 'bob-token', vars: TWO_OWNERS }
    const mine = await createSession(alice)
    const theirs = await createSession(bob)
    const eventsOf = async (id: string, who: typeof alice): Promise<SessionEvent[]> => {
      const response = await callApp(`/api/sessions/${id}/events?limit=1000`, who)
      return (await response.json<{ events: SessionEvent[] }>()).events
    }
    const before = await eventsOf(theirs.id, bob)
    const text = script(callAll(message(theirs.id, 'You?')), say('Nobody there.'))
    await callApp(`/api/sessions/${mine.id}/commands`, {
      ...alice,
      json: { type: 'send', id: 'ask', text },
    })
    await expect.poll(async () => (await eventsOf(mine.id, alice)).some(isRunDone)).toBe(true)
    const [result] = (await eventsOf(mine.id, alice)).filter(({ type }) => type === 'tool_result')
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'tool_error', message: `There is no session ${theirs.id}.` },
    })
    // Not even by a letter that says it is from there.
    const delivery = await LiveSession.at(theirs.id).stub.deliver('alice', theirs.id, {
      from: mine.id,
      number: 1,
      letter: { type: 'cancel', exchangeIds: [], childRunIds: [] },
    })
    expect(delivery).toMatchObject({ ok: false, rejection: { code: 'not_found' } })
    expect(await eventsOf(theirs.id, bob)).toEqual(before)
  })
})

const spawnHeld = (gate: string) => spawn(script(sayAfter(gate, `From ${gate}.`)))

describe('children as objects', () => {
  test('[AGT5] [FILE1] write into the workspace of their parent, as part of its changes', async () => {
    const write = toCall('write_file', { path: 'notes/night.md', content: 'One ship.\n' })
    const { session, socket } = await LiveSession.begin(
      script(callAll(spawn(script(callAll(write), say('Written.')))), say('Thanks.')),
    )
    const { runId } = await socket.untilType('run_done')
    const [child] = await session.eventsOf('subagent_spawned')
    const { childRunId, childSessionId } = child!
    expect(await session.eventsOf('files_changed')).toMatchObject([
      { childRunId, files: [{ path: 'notes/night.md', action: 'created', additions: 1 }] },
    ])
    const file = await api(`/sessions/${session.id}/files/notes/night.md`)
    expect(await file.text()).toBe('One ship.\n')
    // For whoever looks at the child, too: its files are those.
    const same = await api(`/sessions/${childSessionId}/files/notes/night.md`)
    expect(await same.text()).toBe('One ship.\n')
    expect(await runsOf(runId)).toMatchObject([
      { run_id: childRunId, session_id: childSessionId, parent_run_id: runId, outcome: 'done' },
    ])
  })

  test('[AGT5] work at the same time, and the parent goes on when the last has ended', async () => {
    const gates = ['agents-one', 'agents-two', 'agents-three']
    const { session, socket } = await LiveSession.begin(
      script(callAll(...gates.map(spawnHeld)), say('All three.')),
    )
    // Each is at work while none has ended.
    await Promise.all(gates.map((gate) => model.reached(gate)))
    for (const gate of gates.toReversed()) {
      await model.release(gate)
      await socket.untilEvent(
        (event) => event.type === 'subagent_result' && event.summary === `From ${gate}.`,
      )
    }
    await socket.untilEvent(isRunDone)
    const summaries = (await session.eventsOf('subagent_result')).map(({ summary }) => summary)
    expect(summaries).toEqual(gates.toReversed().map((gate) => `From ${gate}.`))
    expect(await model.violations()).toEqual([])
  })

  test('[CAN4] [AGT6] a tree of three levels is cancelled by its root, and every run of it ends so', async () => {
    const deepest = spawn(script(sayAfter('agents-deep', 'Never.')))
    const middle = spawn(script(callAll(deepest), say('Never.')))
    const { session, socket } = await LiveSession.begin(script(callAll(middle), say('Never.')))
    await model.reached('agents-deep')
    const [child] = await session.eventsOf('subagent_spawned')
    const one = LiveSession.at(child!.childSessionId)
    const [grandchild] = await one.eventsOf('subagent_spawned')
    const two = LiveSession.at(grandchild!.childSessionId)
    const answer = await postJson('/agent-cancel', { run_id: child!.runId })
    const { seq } = await answer.json<{ seq: number }>()
    const end = await socket.untilType('run_done')
    expect(end).toMatchObject({ seq, outcome: 'cancelled' })
    await Promise.all([one.untilDone(), two.untilDone()])
    for (const level of [one, two]) {
      expect(await level.eventsOf('run_done')).toMatchObject([{ outcome: 'cancelled' }])
      expect(await level.eventsOf('output_cancelled')).toMatchObject([{ reason: 'parent' }])
    }
    await model.release('agents-deep')
    expect((await session.events()).at(-1)).toMatchObject({ type: 'run_done', seq })
    expect(await two.eventsOf('text_done')).toEqual([])
  })
})

// The tools of a child work on the files of another session, which may be out of reach.

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { LOOK_UP_MS } from '#protocol/limits'
import { agentDeps } from '../../testing/node/agent-world.ts'
import { MemoryWorkspace } from '../../testing/node/memory-workspace.ts'
import { NO_PEERS, OWNER, SESSION_ID, SessionHarness } from '../../testing/node/session-harness.ts'
import { watchTools } from '../../testing/node/watched-starts.ts'
import { BUILTIN_AGENTS } from '../agents/agent.ts'
import { ToolFailure } from '../tools/tool.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { toLimits, UNBOUND } from './inherited.ts'
import type { Peers } from './session-deps.ts'

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

describe('a child whose workspace is far away', () => {
  const CHILD = 'session-child-0000'

  async function newChild(
    workspace: Peers['workspace'],
    isWanted: Peers['isWanted'] = NO_PEERS.isWanted,
  ) {
    const { session } = (await SessionHarness.create()).core.folded
    let starts = 0
    const tools = watchTools(agentDeps().tools, () => (starts += 1))
    const peers = { ...NO_PEERS, workspace, isWanted }
    const child = new SessionHarness({ ...agentDeps(), tools, peers })
    const { id: sessionId, agent, model } = session
    const limits = toLimits(session, BUILTIN_AGENTS[0]!, UNBOUND)
    const runId = `${sessionId}.3`
    const parent = { sessionId, runId, workspaceId: sessionId, topRunId: runId, depth: 1 }
    const origin = { context: { sessionId, agent }, limits, rules: [], parent }
    const create = { agent, model, mode: 'agent', recovery: 'continue', origin } as const
    const asker = { sessionId, agent, hops: 1, budget: 1, path: [sessionId] }
    const childRunId = `${CHILD}.3`
    const spawn = { type: 'spawn', runId, childRunId, task: 'Count', asker, create } as const
    child.core.receive(OWNER, CHILD, { from: SESSION_ID, number: 1, letter: spawn })
    await child.settle()
    const call = { type: 'tool_call', id: 'k1', toolName: 'calculate' } as const
    child.model.current.emit({ ...call, arguments: '{"expression":"6*7"}' })
    child.model.current.finish('tool_calls')
    await child.settle()
    return { child, childRunId, countStarts: () => starts }
  }

  test('[AGT5][TOOL1] has a tool error where it cannot be reached, and goes on', async () => {
    const { child, countStarts } = await newChild(() =>
      Promise.reject(new ToolFailure('The workspace cannot be reached now.')),
    )
    expect(ofType(child, 'tool_result')).toMatchObject([
      { ok: false, error: { code: 'tool_error', message: 'The workspace cannot be reached now.' } },
    ])
    expect(countStarts()).toBe(0)
    expect(child.model.isCalled).toBe(true)
  })

  test('[AGT5][TOOL1] has a tool error where nothing is heard of it, and goes on', async () => {
    const { child, countStarts } = await newChild(() => new Promise(() => {}))
    expect(ofType(child, 'tool_result')).toEqual([])
    child.timers.advance(LOOK_UP_MS)
    await child.settle()
    expect(ofType(child, 'tool_result')).toMatchObject([
      { error: { code: 'tool_error', message: expect.stringContaining('cannot be reached') } },
    ])
    expect(countStarts()).toBe(0)
    expect(child.model.isCalled).toBe(true)
  })

  test('[CAN4][RUN9] asks again whether it is wanted where it has heard nothing of that', async () => {
    let asked = 0
    const isWanted = (): Promise<boolean> =>
      ++asked === 1 ? new Promise(() => {}) : Promise.resolve(true)
    const { child } = await newChild(async () => new MemoryWorkspace(), isWanted)
    child.crash()
    await child.settle()
    expect([asked, child.model.isCalled]).toEqual([1, false])
    child.timers.advance(LOOK_UP_MS)
    await child.settle()
    child.timers.advance(60_000)
    await child.settle()
    expect([asked, child.model.isCalled]).toEqual([2, true])
  })

  test('[CAN4] starts no tool when it is reached after a cancel', async () => {
    const gate = Promise.withResolvers<Workspace>()
    const { child, childRunId, countStarts } = await newChild(() => gate.promise)
    const letter = { type: 'cancel', exchangeIds: [], childRunIds: [childRunId] } as const
    child.core.receive(OWNER, CHILD, { from: SESSION_ID, number: 2, letter })
    gate.resolve(new MemoryWorkspace())
    await child.settle()
    expect(countStarts()).toBe(0)
    expect(child.events().at(-1)).toMatchObject({ type: 'run_done', outcome: 'cancelled' })
  })
})

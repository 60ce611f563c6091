import { describe, expect, test } from 'vitest'
import { LOOK_UP_MS } from '#protocol/limits'
import { BUILTIN_AGENTS } from '../agents/agent.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'

const warnings = (harness: SessionHarness) =>
  harness.events().flatMap((event) => (event.type === 'warning' ? [event.code] : []))

const fail = () => Promise.reject(new Error('D1_ERROR: secret'))
const hang = () => new Promise<never>(() => {})

describe('what a run is given', () => {
  test('[RUN10] [AGT1] an agent that is gone is said so, and the built-in one answers', async () => {
    const harness = await SessionHarness.create()
    harness.agents = [{ ...BUILTIN_AGENTS[0]!, name: 'gone', builtIn: false }]
    await harness.tryLater({ type: 'configure', agent: 'gone' })
    harness.agents = []
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    expect(warnings(harness)).toEqual(['unknown_agent'])
    expect(harness.model.current.request.system).toBe(BUILTIN_AGENTS[0]!.instructions)
  })

  test('[AGT1] [SAF2] an agent that is not there is refused, and nothing changes', async () => {
    const harness = await SessionHarness.create()
    const before = harness.core.seq
    const command = { type: 'configure', id: 'c-gone', agent: 'gone', title: 'A title' } as const
    expect(await harness.tryLater(command)).toMatchObject({
      ok: false,
      rejection: { code: 'unknown_agent' },
    })
    expect(harness.core.seq).toBe(before)
    // A refusal is not kept: when there is one, the same command is taken.
    harness.agents = [{ ...BUILTIN_AGENTS[0]!, name: 'gone', builtIn: false }]
    expect(await harness.tryLater(command)).toMatchObject({ ok: true })
    expect(harness.core.folded.session).toMatchObject({ agent: 'gone', title: 'A title' })
  })

  test('[AGT1] [DEC7] an agent of somebody’s own brings its instructions, models and mode', async () => {
    const harness = await SessionHarness.create()
    const own = { name: 'critic', instructions: 'Find the flaw.', models: ['backup'] }
    harness.agents = [{ ...BUILTIN_AGENTS[0]!, ...own, builtIn: false }]
    await harness.tryLater({ type: 'configure', agent: 'critic', mode: 'ask' })
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    expect(warnings(harness)).toEqual([])
    const { system } = harness.model.current.request
    expect(system).toMatch(/^Find the flaw\.\n\nMode: Ask\./)
  })

  const own = { ...BUILTIN_AGENTS[0]!, name: 'critic', instructions: 'Find the flaw.' }

  /** Somebody's own agent, read by these, one after the other. */
  async function begin(...loads: (() => Promise<typeof own>)[]): Promise<SessionHarness> {
    const load = (): Promise<typeof own> => loads.shift()?.() ?? expect.unreachable()
    const harness = await SessionHarness.create({
      agents: { find: () => null, list: async () => [], load },
    })
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    return harness
  }

  test('[RUN4] an agent that cannot be read fails the run, with words and without its inside', async () => {
    const harness = await begin(fail, fail)
    const error = harness.events().find(({ type }) => type === 'error')
    expect(error).toMatchObject({ code: 'agent_unavailable' })
    expect(JSON.stringify(error)).not.toContain('secret')
    expect(harness.events().at(-1)).toMatchObject({ type: 'run_done', outcome: 'failed' })
  })

  test('[RUN1] [RUN4] a database that hangs is given up in time, and asked once more before', async () => {
    const harness = await begin(hang, hang)
    harness.timers.advance(LOOK_UP_MS / 2)
    await harness.settle()
    expect(harness.core.folded.run.status).toBe('running')
    harness.timers.advance(LOOK_UP_MS / 2)
    await harness.settle()
    expect(harness.events().find(({ type }) => type === 'error')).toMatchObject({
      code: 'agent_unavailable',
    })
    expect(harness.events().at(-1)).toMatchObject({ type: 'run_done', outcome: 'failed' })
    expect(harness.timers.size).toBe(0)
  })

  test('[AGT1] an agent that is read at the second try answers, and nobody is told', async () => {
    for (const first of [fail, hang]) {
      const harness = await begin(first, async () => own)
      harness.timers.advance(LOOK_UP_MS / 2)
      await harness.settle()
      expect(harness.model.current.request.system).toMatch(/^Find the flaw\./)
      expect(warnings(harness)).toEqual([])
    }
  })
})

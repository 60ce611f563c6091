import { describe, expect, test } from 'vitest'
import { BUILTIN_AGENTS } from '../agents/agent.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'

const warnings = (harness: SessionHarness) =>
  harness.events().flatMap((event) => (event.type === 'warning' ? [event.code] : []))

describe('what a run is given', () => {
  test('[RUN10] [AGT1] an agent that is gone is said so, and the built-in one answers', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'configure', agent: 'gone' })
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    expect(warnings(harness)).toEqual(['unknown_agent'])
    expect(harness.model.current.request.system).toBe(BUILTIN_AGENTS[0]!.instructions)
  })

  test('[AGT1] [DEC7] an agent of somebody’s own brings its instructions, models and mode', async () => {
    const harness = await SessionHarness.create()
    const own = { name: 'critic', instructions: 'Find the flaw.', models: ['backup'] }
    harness.agents = [{ ...BUILTIN_AGENTS[0]!, ...own, builtIn: false }]
    harness.command({ type: 'configure', agent: 'critic', mode: 'ask' })
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    expect(warnings(harness)).toEqual([])
    const { system } = harness.model.current.request
    expect(system).toMatch(/^Find the flaw\.\n\nMode: Ask\./)
  })

  test('[RUN4] an agent that cannot be read fails the run, without its inside', async () => {
    const harness = await SessionHarness.create({
      agents: {
        find: () => null,
        list: async () => [],
        load: () => Promise.reject(new Error('D1_ERROR: secret')),
      },
    })
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    const error = harness.events().find(({ type }) => type === 'error')
    expect(error).toMatchObject({ code: 'internal' })
    expect(JSON.stringify(error)).not.toContain('secret')
    expect(harness.events().at(-1)).toMatchObject({ type: 'run_done', outcome: 'failed' })
  })
})

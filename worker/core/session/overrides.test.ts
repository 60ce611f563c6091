import { describe, expect, test } from 'vitest'
import { BUILTIN_AGENTS } from '../agents/agent.ts'
import { OWNER, SessionHarness } from '../../testing/node/session-harness.ts'
import { ScriptedModel } from '../../testing/node/scripted-model.ts'
import { ModelError } from './model.ts'
import type { ToolSelection } from '../tools/tool.ts'

const override = (harness: SessionHarness, fields: object | null, agentId = 'parley') =>
  harness.try({ type: 'override_set', agentId, override: fields })

async function askedWith(harness: SessionHarness): Promise<string> {
  harness.command({ type: 'send', text: 'hello' })
  await harness.settle()
  return harness.model.current.request.system
}

async function answer(harness: SessionHarness): Promise<void> {
  harness.model.current.text('Here you are.').finish()
  await harness.settle()
}

describe('an agent, changed for one session', () => {
  test('[AGT7] instructions, models and tools are merged over the agent’s own', async () => {
    const opened: ToolSelection[] = []
    const tools = new SessionHarness().tools
    const harness = await SessionHarness.create({
      tools: {
        isRepeatable: () => false,
        inspect: () => ({ problem: 'unused' }),
        open: (selection) => {
          opened.push(selection)
          return Promise.resolve({ registry: tools, warnings: [] })
        },
      },
    })
    expect(override(harness, { instructions: 'Be brief.', tools: ['think'] }).ok).toBe(true)
    expect(await askedWith(harness)).toBe('Be brief.')
    expect(opened.at(-1)).toMatchObject({ tools: ['think'], mode: 'agent' })
    await answer(harness)
    override(harness, { tools: null })
    expect(await askedWith(harness)).toBe(BUILTIN_AGENTS[0]!.instructions)
    expect(opened.at(-1)).toMatchObject({ tools: null })
  })

  test('[AGT7] [RUN7] models of an override take over when the session’s own fails', async () => {
    const models = [new ScriptedModel(), new ScriptedModel('backup')]
    const harness = await SessionHarness.create({
      models: {
        ids: ['scripted', 'backup'],
        get: (id) => models.find((model) => model.id === id) ?? null,
        fallbacksOf: () => [],
      },
    })
    expect(override(harness, { models: ['backup'] }).ok).toBe(true)
    expect(override(harness, { models: ['nobody'] })).toMatchObject({
      rejection: { code: 'unknown_model', message: expect.stringContaining('nobody') },
    })
    const kept = { ok: true, value: { models: ['backup'] } }
    expect(harness.core.views.override(OWNER, 'parley')).toEqual(kept)
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    models[0]!.current.fail(new ModelError('model_unauthorized', 'no'))
    await harness.settle()
    expect(models[1]!.isCalled).toBe(true)
  })

  test('[AGT7] it is read once for each run: a change reaches the next one', async () => {
    const harness = await SessionHarness.create()
    await askedWith(harness)
    override(harness, { instructions: 'Be brief.' })
    const call = { type: 'tool_call', id: 'c1', toolName: 'look', arguments: '{}' } as const
    harness.model.current.emit(call).finish('tool_calls')
    await harness.settle()
    harness.tools.open[0]!.settle({ ok: true, result: 'seen' })
    await harness.settle()
    expect(harness.model.current.request.system).toBe(BUILTIN_AGENTS[0]!.instructions)
    await answer(harness)
    expect(await askedWith(harness)).toBe('Be brief.')
  })

  test('[AGT7] another agent of the session is not touched by it', async () => {
    const harness = await SessionHarness.create()
    override(harness, { instructions: 'Be brief.' }, 'constructor')
    expect(await askedWith(harness)).toBe(BUILTIN_AGENTS[0]!.instructions)
    expect(harness.core.views.override(OWNER, 'valueof')).toEqual({ ok: true, value: null })
  })

  test('[AGT7] [DEC7] its mode is the session’s at once, or when that agent is chosen', async () => {
    const harness = await SessionHarness.create()
    override(harness, { mode: 'ask' })
    expect(harness.core.folded.session.mode).toBe('ask')
    override(harness, { mode: 'plan' }, 'planner')
    expect(harness.core.folded.session.mode).toBe('ask')
    harness.agents = [{ ...BUILTIN_AGENTS[0]!, name: 'planner', builtIn: false }]
    await harness.tryLater({ type: 'configure', agent: 'planner' })
    expect(harness.core.folded.session.mode).toBe('plan')
    harness.command({ type: 'configure', agent: 'parley', mode: 'agent' })
    expect(harness.core.folded.session.mode).toBe('agent')
  })

  test('[AGT7] null takes it back; a crash does not', async () => {
    const harness = await SessionHarness.create()
    override(harness, { instructions: 'Be brief.' })
    harness.crash()
    expect(await askedWith(harness)).toBe('Be brief.')
    await answer(harness)
    override(harness, null)
    expect(harness.core.folded.overrides).toEqual([])
    expect(await askedWith(harness)).toBe(BUILTIN_AGENTS[0]!.instructions)
  })

  test('[AGT7] [SAF2] a session changes only so many agents', async () => {
    const harness = await SessionHarness.create()
    for (let i = 0; i < 8; i++) {
      expect(override(harness, { instructions: 'x' }, `agent-${i}`).ok).toBe(true)
    }
    expect(override(harness, { instructions: 'x' }, 'agent-8')).toMatchObject({
      rejection: { code: 'too_many_overrides' },
    })
    expect(override(harness, { instructions: 'y' }, 'agent-7').ok).toBe(true)
    expect(harness.core.folded.overrides).toHaveLength(8)
  })
})

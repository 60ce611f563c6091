import { describe, expect, test } from 'vitest'
import { call, createSession, refusalOf, type Call } from '../testing/call-app.ts'

const at = (id: string, agent = 'assistant') =>
  `/api/agent-override?session_id=${id}&agent_id=${agent}`
const set = (id: string, override: unknown, more: Call = {}) =>
  call(at(id), { json: { override }, ...more })

describe('an agent, changed for one session', () => {
  test('[AGT7] is set, read, told to the model, and taken back', async () => {
    const { id } = await createSession()
    expect(await (await call(at(id))).json()).toMatchObject({ override: null })
    const override = { instructions: 'Be brief.', tools: ['think'], mode: 'ask' }
    const json = { session_id: id, agent_id: 'assistant', project_root: '/srv', override }
    const made = await call('/api/agent-override', { json })
    expect(await made.json()).toEqual({ session_id: id, agent_id: 'assistant', override })
    expect(await (await call(at(id))).json()).toMatchObject({ override })
    expect(await (await call(at(id, 'coder'))).json()).toMatchObject({ override: null })
    const sent = await call('/api/chat', { json: { session_id: id, text: 'hi' } })
    const { run_id: runId } = await sent.json<{ run_id: string }>()
    const context = await call(`/api/agent-context?run_id=${runId}&view=raw`)
    const { raw } = await context.json<{ raw: { system: string; tools: string[] } }>()
    expect(raw.system).toMatch(/^Be brief\.\n\nMode: Ask\./)
    expect(raw.tools).toEqual(['think'])
    expect((await set(id, null)).status).toBe(200)
    expect(await (await call(at(id))).json()).toMatchObject({ override: null })
  })

  test('[AGT7] [SAF2] is checked like an agent, and a refusal changes nothing', async () => {
    const { id } = await createSession()
    const wrong: [unknown, string, string][] = [
      [{}, 'bad_request', 'nothing to override'],
      [{ instructions: ' ' }, 'bad_request', 'override.instructions'],
      [{ tools: ['a b'] }, 'bad_request', 'override.tools.0'],
      [{ mode: 'yolo' }, 'bad_request', 'override.mode'],
      [{ colour: 'red' }, 'bad_request', 'colour'],
      [{ models: ['nobody'] }, 'unknown_model', 'nobody'],
      [{ instructions: 'x'.repeat(40_000) }, 'too_large', 'override.instructions'],
    ]
    for (const [override, code, words] of wrong) {
      const refusal = await refusalOf(await set(id, override))
      expect(refusal.code).toBe(code)
      expect(refusal.message).toContain(words)
    }
    const json = { override: { mode: 'ask' } }
    const unknown = await call(at(id, 'nobody'), { json })
    expect(await refusalOf(unknown)).toMatchObject({ status: 400, code: 'unknown_agent' })
    const nameless = await call(`/api/agent-override?session_id=${id}`, { json })
    expect((await refusalOf(nameless)).message).toContain('agent_id')
    expect(await (await call(at(id))).json()).toMatchObject({ override: null })
  })
})

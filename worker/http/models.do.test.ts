import { describe, expect, test } from 'vitest'
import type { ModelSummary } from '#protocol/http'
import type { ToolBox, ToolRegistry } from '../core/tools/tool.ts'
import { call, refusalOf, TWO_OWNERS } from '../testing/call-app.ts'
import { listTools, type ToolList } from './tools.ts'

describe('models', () => {
  test('[SES4] are listed with what they can do, and which is used unless one is chosen', async () => {
    const response = await call('/api/models')
    const answer = await response.json<{ models: ModelSummary[]; default: string }>()
    expect(answer.default).toBe('strict')
    expect(answer.models.map(({ id }) => id)).toEqual(['strict', 'demo', 'demo-backup'])
    for (const model of answer.models) {
      expect(model).toMatchObject({ provider: expect.any(String), tools: expect.any(Boolean) })
      expect(model.window).toBeGreaterThan(0)
    }
  })

  test('[SAF3] say nothing of keys and addresses', async () => {
    const text = await (await call('/api/models')).text()
    expect(text).not.toMatch(/test-key|https?:/)
  })
})

const registryOf = (mode: string): ToolRegistry => ({
  specs: () =>
    ['think', 'files__read', ...(mode === 'agent' ? ['files__write'] : [])].map((name) => ({
      name,
      description: `to ${name}`,
      inputSchema: {},
    })),
  isRepeatable: () => false,
  prepare: () => ({ do: 'settle', outcome: { ok: true, result: '' } }),
})

describe('tools', () => {
  test('[TOOL8] those of the deployment are listed', async () => {
    const { tools, warnings } = await (await call('/api/tools')).json<ToolList>()
    expect(warnings).toEqual([])
    expect(tools).toContainEqual({
      name: 'calculate',
      description: expect.any(String),
      server: null,
      readOnly: true,
    })
  })

  test('[TOOL8] remote ones name their server; a server that is down is a warning', async () => {
    const warnings = [{ code: 'mcp_unavailable', message: 'mail did not answer' }]
    const box: ToolBox = {
      isRepeatable: () => false,
      inspect: () => ({ problem: 'not here' }),
      open: async ({ mode }) => ({ registry: registryOf(mode), warnings }),
    }
    const list = await listTools(box, new AbortController().signal)
    expect(list.warnings).toEqual(warnings)
    expect(list.tools).toMatchObject([
      { name: 'think', server: null, readOnly: true },
      { name: 'files__read', server: 'files', readOnly: true },
      { name: 'files__write', server: 'files', readOnly: false },
    ])
  })
})

test('[SAF1] neither is told to someone without a credential', async () => {
  for (const path of ['/api/models', '/api/tools']) {
    const refusal = await refusalOf(await call(path, { vars: TWO_OWNERS }))
    expect(refusal, path).toMatchObject({ status: 401, code: 'unauthorized' })
  }
})

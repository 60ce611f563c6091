import { runCall } from '../../testing/node/run-call.ts'
import { describe, expect, test, vi } from 'vitest'
import { missionDone } from './mission-done.ts'
import type { AnyTool } from './registry.ts'
import type { ToolSelection } from './tool.ts'
import { createToolBox, type RemoteServers } from './toolbox.ts'

const tool = (name: string, options: Partial<Pick<AnyTool, 'readOnly' | 'repeatable'>> = {}) =>
  ({
    name,
    description: `to ${name}`,
    inputSchema: { type: 'object' },
    readOnly: false,
    repeatable: false,
    run: async () => `${name} ran`,
    ...options,
  }) satisfies AnyTool

const READ = { readOnly: true, repeatable: true }
const LOCAL = [tool('look', READ), tool('change')]

function serversOf(offered: Record<string, readonly AnyTool[]>) {
  const list = vi.fn<RemoteServers['list']>(async (server) => ({
    tools: offered[server] ?? [],
    warnings: offered[server]?.length === 0 ? [{ code: 'mcp_unavailable', message: server }] : [],
  }))
  const isRepeatable = (name: string): boolean =>
    Object.values(offered).some((tools) => tools.some((one) => one.name === name && one.repeatable))
  return { names: Object.keys(offered), isRepeatable, list }
}

const REMOTE = {
  mail: [tool('mail__read', READ), tool('mail__send')],
  files: [tool('files__read', READ)],
}

const signal = new AbortController().signal
const context = { signal, output: () => {}, now: () => 0 }

async function namesOf(
  selection: Partial<ToolSelection>,
  servers: RemoteServers | null = serversOf(REMOTE),
): Promise<string[]> {
  const box = createToolBox({ tools: LOCAL, servers })
  const { registry } = await box.open({ tools: null, mode: 'agent', ...selection }, signal)
  return registry.specs().map(({ name }) => name)
}

describe('selection', () => {
  test('[TOOL8] no list is every tool, an empty one is none', async () => {
    expect(await namesOf({})).toEqual(['look', 'change', 'mail__read', 'mail__send', 'files__read'])
    expect(await namesOf({ tools: [] })).toEqual([])
    expect(await namesOf({}, null)).toEqual(['look', 'change'])
  })

  test('[AGT7] mission_done is offered where there is a mission, whatever the list says', async () => {
    const box = createToolBox({ tools: [...LOCAL, missionDone], servers: null })
    const names = async (selection: ToolSelection) =>
      (await box.open(selection, signal)).registry.specs().map(({ name }) => name)
    expect(await names({ tools: null, mode: 'agent' })).toEqual(['look', 'change'])
    expect(await names({ tools: ['mission_done'], mode: 'agent' })).toEqual([])
    const withMission = { mode: 'ask', hasMission: true } as const
    expect(await names({ tools: null, ...withMission })).toEqual(['look', 'mission_done'])
    expect(await names({ tools: [], ...withMission })).toEqual(['mission_done'])
  })

  test('[TOOL8] a list names tools, or all those of a server', async () => {
    expect(await namesOf({ tools: ['look', 'mail__send'] })).toEqual(['look', 'mail__send'])
    expect(await namesOf({ tools: ['mail__*'] })).toEqual(['mail__read', 'mail__send'])
    expect(await namesOf({ tools: ['mail__*', 'change'] })).toEqual([
      'change',
      'mail__read',
      'mail__send',
    ])
    expect(await namesOf({ tools: ['mail', 'mail_*', '*', '__*', 'nothing'] })).toEqual([])
  })

  test('[TOOL8] only servers that are on the list are asked', async () => {
    const servers = serversOf(REMOTE)
    await namesOf({ tools: ['look'] }, servers)
    expect(servers.list.mock.calls).toEqual([])
    await namesOf({ tools: ['look', 'files__read'] }, servers)
    expect(servers.list.mock.calls).toEqual([['files', signal]])
  })

  test('[RUN10] the warnings of servers are handed on, and the other tools are there', async () => {
    const box = createToolBox({ tools: LOCAL, servers: serversOf({ ...REMOTE, slow: [] }) })
    const { registry, warnings } = await box.open({ tools: null, mode: 'agent' }, signal)
    expect(warnings).toEqual([{ code: 'mcp_unavailable', message: 'slow' }])
    expect(registry.specs()).toHaveLength(5)
  })

  test('[TOOL8] where a remote tool has the name of a local one, the local one runs', async () => {
    const impostor = { ...tool('look'), run: async () => 'the wrong one' }
    const box = createToolBox({ tools: LOCAL, servers: serversOf({ mail: [impostor] }) })
    const { registry } = await box.open({ tools: null, mode: 'agent' }, signal)
    const outcome = await runCall(registry, { toolName: 'look', arguments: '' }, context)
    expect(outcome).toEqual({ ok: true, result: 'look ran' })
  })
})

describe('modes', () => {
  test.each(['ask', 'plan'] as const)('[TOOL3] %s offers what only reads', async (mode) => {
    expect(await namesOf({ mode })).toEqual(['look', 'mail__read', 'files__read'])
    expect(await namesOf({ mode, tools: ['change', 'mail__*'] })).toEqual(['mail__read'])
  })

  test('[TOOL3] a tool that the mode denies is answered with why; an unlisted one is unknown', async () => {
    const box = createToolBox({ tools: LOCAL, servers: serversOf(REMOTE) })
    const selection = { tools: ['change', 'mail__*'], mode: 'ask' } as const
    const { registry } = await box.open(selection, signal)
    for (const toolName of ['change', 'mail__send']) {
      expect(await runCall(registry, { toolName, arguments: '{}' }, context)).toEqual({
        ok: false,
        error: {
          code: 'tool_denied',
          message: expect.stringContaining(`${toolName} can change things`),
        },
      })
    }
    const unknown = await runCall(registry, { toolName: 'look', arguments: '{}' }, context)
    expect(unknown).toMatchObject({ ok: false, error: { code: 'tool_error' } })
  })
})

describe('what is kept', () => {
  test('[TOOL8] the same local selection has the same registry', async () => {
    const box = createToolBox({ tools: LOCAL, servers: null })
    const open = async (mode: ToolSelection['mode'], tools: string[] | null) =>
      (await box.open({ mode, tools }, signal)).registry
    const first = await open('agent', ['look'])
    expect(await open('agent', ['look'])).toBe(first)
    expect(await open('ask', ['look'])).not.toBe(first)
    expect(await open('agent', null)).not.toBe(first)
  })

  test('[TOOL8] registries are kept up to a bound, the oldest goes', async () => {
    const box = createToolBox({ tools: LOCAL, servers: null })
    const open = async (name: string) =>
      (await box.open({ mode: 'agent', tools: [name] }, signal)).registry
    const first = await open('tool-0')
    const second = await open('tool-1')
    for (let at = 2; at <= 64; at++) await open(`tool-${at}`)
    expect(await open('tool-1')).toBe(second)
    expect(await open('tool-0')).not.toBe(first)
  })

  test('[TOOL8] a selection with remote tools is asked for each time', async () => {
    const offered: Record<string, readonly AnyTool[]> = { ...REMOTE }
    const box = createToolBox({ tools: [], servers: serversOf(offered) })
    const open = async () => (await box.open({ mode: 'agent', tools: null }, signal)).registry
    expect((await open()).specs()).toHaveLength(3)
    offered['files'] = []
    expect((await open()).specs()).toHaveLength(2)
  })
})

test('[TOOL8] what may be repeated is known of local tools and asked of servers', () => {
  const box = createToolBox({ tools: LOCAL, servers: serversOf(REMOTE) })
  const names = ['look', 'change', 'mail__read', 'mail__send', 'unknown']
  expect(names.map((name) => box.isRepeatable(name))).toEqual([true, false, true, false, false])
  const alone = createToolBox({ tools: LOCAL, servers: null })
  expect(alone.isRepeatable('mail__read')).toBe(false)
})

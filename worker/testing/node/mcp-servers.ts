// The MCP servers of tests that run in another process than they do: one of each era, with tools
// that behave as their names say.

import { noteExecution } from './executions.ts'
import { startMcpServer, type KitTool } from './mcp-server.ts'

const TOOLS: KitTool[] = [
  {
    name: 'echo',
    description: 'Says it again.',
    properties: { text: { type: 'string' } },
    annotations: { readOnlyHint: true },
    run: ({ text }) => `echo: ${String(text)}`,
  },
  { name: 'whoami', run: (_, headers) => `you are ${headers.get('authorization')}` },
  {
    name: 'mark',
    description: 'Leaves a mark that stays.',
    properties: { words: { type: 'string' } },
    run: ({ words }) => {
      noteExecution(String(words))
      return 'marked'
    },
  },
  { name: 'die', run: () => 'never heard' },
]

/** The setting that names them. */
export async function startMcpServers(): Promise<string> {
  const eras = { older: 'sessions', newer: 'stateless' } as const
  const entries = Object.entries(eras).map(async ([name, era]) => {
    const kit = await startMcpServer({ era, isBackground: true })
    kit.setTools(TOOLS)
    kit.setMisbehaviour(({ rpc, params }) =>
      rpc === 'tools/call' && params['name'] === 'die' ? { kind: 'die' } : undefined,
    )
    const headers = { authorization: 'Bearer workerd-mcp-secret' }
    return [name, { url: kit.url, headers }] as const
  })
  return JSON.stringify(Object.fromEntries(await Promise.all(entries)))
}

// Which tools there are, those of remote servers included.

import { Hono } from 'hono'
import type { ToolBox } from '../core/tools/tool.ts'
import { REMOTE_SEPARATOR } from '../core/tools/toolbox.ts'
import { resolveTools } from '../tools.ts'
import type { AppEnv } from './app-env.ts'

/** A page waits for this list: a server that is slower is a warning. */
const LIST_TOOLS_MS = 10_000

type ToolSummary = { name: string; description: string; server: string | null; readOnly: boolean }
export type ToolList = {
  tools: ToolSummary[]
  warnings: readonly { code: string; message: string }[]
}

export const tools = new Hono<AppEnv>()

tools.get('/tools', async (c) =>
  c.json(await listTools(resolveTools(c.env), AbortSignal.timeout(LIST_TOOLS_MS))),
)

/** What is offered in the mode Ask is what changes nothing: nobody else says so of remote tools. */
export async function listTools(box: ToolBox, signal: AbortSignal): Promise<ToolList> {
  const [{ registry, warnings }, asking] = await Promise.all([
    box.open({ tools: null, mode: 'agent' }, signal),
    box.open({ tools: null, mode: 'ask' }, signal),
  ])
  const readOnly = new Set(asking.registry.specs().map(({ name }) => name))
  const summaries = registry.specs().map(({ name, description }) => ({
    name,
    description,
    server: serverOf(name),
    readOnly: readOnly.has(name),
  }))
  return { tools: summaries, warnings }
}

/** A remote tool is called `<server>__<tool>`. */
function serverOf(name: string): string | null {
  const at = name.indexOf(REMOTE_SEPARATOR)
  return at > 0 ? name.slice(0, at) : null
}

// Which tools a deployment has, from its settings alone.

import { createBuiltinTools } from './core/tools/builtin.ts'
import type { ToolBox } from './core/tools/tool.ts'
import { createToolBox } from './core/tools/toolbox.ts'
import { parseSettings, type Env, type Vars } from './env.ts'
import { createRemoteServers } from './mcp/remote-servers.ts'

const boxes = new WeakMap<Vars, ToolBox>()

/** One for all sessions of an isolate: what remote servers offer is asked once for all of them. */
export function resolveTools(env: Vars & Pick<Env, 'PUBLIC_WEB'>): ToolBox {
  let box = boxes.get(env)
  if (box === undefined) {
    const { mcpServers, isWebPrivate } = parseSettings(env)
    const fetch = globalThis.fetch.bind(globalThis)
    const { PUBLIC_WEB: web } = env
    const publicFetch: typeof fetch = web === undefined ? fetch : (...args) => web.fetch(...args)
    box = createToolBox({
      tools: createBuiltinTools({
        fetch: isWebPrivate ? fetch : publicFetch,
        allowPrivate: isWebPrivate,
      }),
      servers: mcpServers.length === 0 ? null : createRemoteServers(mcpServers, { fetch }),
    })
    boxes.set(env, box)
  }
  return box
}

// Which tools a run is offered: an agent's list, narrowed by the mode of the session.

import type { Mode } from '#protocol/events'
import type { Action } from '../policy/policy.ts'
import { MISSION_DONE } from './mission-done.ts'
import { createRegistry, inspectCall, type AnyTool, type RegistryOptions } from './registry.ts'
import type { ToolBox, ToolRegistry, ToolSelection } from './tool.ts'

export type ToolWarning = { code: string; message: string }

/** Servers elsewhere that offer tools, each tool named `<server>__<tool>`. */
export interface RemoteServers {
  readonly names: readonly string[]
  /** What is known of it now, without asking. A tool nobody has listed yet is not repeatable. */
  isRepeatable(toolName: string): boolean
  /** Never rejects: a server that does not answer is a warning. */
  list(
    server: string,
    signal: AbortSignal,
  ): Promise<{ tools: readonly AnyTool[]; warnings: readonly ToolWarning[] }>
}

export type ToolBoxOptions = {
  tools: readonly AnyTool[]
  servers: RemoteServers | null
  /** Limits of every tool without its own. */
  limits?: Pick<RegistryOptions, 'timeMs' | 'outputBytes'>
}

/** Between a server's name and a tool's. No server name holds an underscore, so it is unambiguous. */
export const REMOTE_SEPARATOR = '__'

/** Registries kept for selections without remote tools: about one for each agent and mode. */
const KEPT_REGISTRIES = 64

export function createToolBox({ tools, servers, limits = {} }: ToolBoxOptions): ToolBox {
  const local = new Map(tools.map((tool) => [tool.name, tool]))
  const kept = new Map<string, ToolRegistry>()

  const openLocal = (selection: ToolSelection): ToolRegistry => {
    const { mode, tools: listed, within, hasMission = false } = selection
    const key = JSON.stringify([mode, listed, within, hasMission])
    let registry = kept.get(key)
    if (registry === undefined) {
      registry = toRegistry(tools, selection, limits)
      // Agents are written by people and change: the oldest goes, or an edit would leak each time.
      if (kept.size >= KEPT_REGISTRIES) kept.delete(kept.keys().next().value!)
      kept.set(key, registry)
    }
    return registry
  }

  return {
    isRepeatable: (toolName) =>
      local.get(toolName)?.repeatable ?? servers?.isRepeatable(toolName) ?? false,
    inspect: (toolName, args) => {
      const tool = local.get(toolName)
      return tool === undefined ? inspectRemote(toolName, args) : inspectCall(tool, args)
    },
    async open(selection, signal) {
      const wanted = (servers?.names ?? []).filter((server) => wantsServer(selection, server))
      if (servers === null || wanted.length === 0) {
        return { registry: openLocal(selection), warnings: [] }
      }
      const lists = await Promise.all(wanted.map((server) => servers.list(server, signal)))
      // A remote name has a prefix of its own; should one still be taken, the local tool stays.
      const remote = lists.flatMap((list) => list.tools).filter(({ name }) => !local.has(name))
      const registry = toRegistry([...tools, ...remote], selection, limits)
      return { registry, warnings: lists.flatMap((list) => list.warnings) }
    },
  }
}

/** A remote tool's own server validates; here it only has to be an object. */
function inspectRemote(toolName: string, args: string): { action: Action } | { problem: string } {
  try {
    // As when it is run: models leave the arguments empty when a tool needs none.
    const value: unknown = args.trim() === '' ? {} : JSON.parse(args)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { action: { kind: 'tool', toolName, arguments: args, readOnly: false } }
    }
    return { problem: 'Expected a JSON object.' }
  } catch {
    return { problem: 'Not valid JSON.' }
  }
}

const wantsServer = (selection: ToolSelection, server: string): boolean =>
  listsOf(selection).every((list) =>
    list.some((name) => name.startsWith(server + REMOTE_SEPARATOR)),
  )

const listsOf = ({ tools, within = [] }: ToolSelection): readonly (readonly string[])[] =>
  tools === null ? within : [tools, ...within]

function toRegistry(
  tools: readonly AnyTool[],
  selection: ToolSelection,
  limits: RegistryOptions,
): ToolRegistry {
  const listed = tools.filter(({ name }) => isListed(selection, name))
  const isOffered = (tool: AnyTool) => selection.mode === 'agent' || tool.readOnly
  const denied = listed
    .filter((tool) => !isOffered(tool))
    .map(({ name }) => [name, describeDenial(name, selection.mode)] as const)
  return createRegistry(listed.filter(isOffered), { ...limits, denied: new Map(denied) })
}

function isListed(selection: ToolSelection, name: string): boolean {
  if (name === MISSION_DONE) return selection.hasMission === true
  const at = name.indexOf(REMOTE_SEPARATOR)
  const all = at > 0 ? `${name.slice(0, at)}${REMOTE_SEPARATOR}*` : name
  return listsOf(selection).every((list) => list.includes(name) || list.includes(all))
}

const MODE_NAMES = { agent: 'Agent', ask: 'Ask', plan: 'Plan' } as const

function describeDenial(name: string, mode: Mode): string {
  return (
    `${name} can change things and is not offered in ${MODE_NAMES[mode]} mode, where tools only ` +
    'read. Answer without it, or say that the mode has to be Agent.'
  )
}

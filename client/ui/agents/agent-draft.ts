// An agent while it is edited, and what of it goes to the server. Pure.

import type { AgentSummary } from '#protocol/http'
import type { AgentChanges, NewAgent, ToolSummary } from '../../sdk/api.ts'

export type AgentDraft = Omit<AgentSummary, 'builtIn'>
export type Field = keyof AgentDraft
export type Problem = { field: Field | null; message: string }

export const COLOURS = ['blue', 'green', 'orange', 'purple', 'red', 'teal', 'pink', 'grey'] as const

export const EMPTY_DRAFT: AgentDraft = {
  name: '',
  description: '',
  instructions: '',
  models: [],
  tools: null,
  mode: 'agent',
  colour: 'blue',
}

const FIELDS = Object.keys(EMPTY_DRAFT) as Field[]

const NAME_CHARS = 40

export const toDraft = ({ builtIn: _builtIn, ...draft }: AgentSummary): AgentDraft => draft

/** Like another one, under a name that is free. */
export function toCopy(agent: AgentSummary, taken: readonly string[]): AgentDraft {
  const names = Array.from({ length: taken.length + 1 }, (_, i) => {
    const ending = i === 0 ? '-copy' : `-copy-${i + 1}`
    return agent.name.slice(0, NAME_CHARS - ending.length) + ending
  })
  return { ...toDraft(agent), name: names.find((name) => !taken.includes(name))! }
}

/** Without instructions the server has words of its own. */
export function toNewAgent({ instructions, ...fields }: AgentDraft): NewAgent {
  return instructions.trim() === '' ? fields : { ...fields, instructions }
}

/** Only what is different: what somebody else changed meanwhile stays. Null: nothing is. */
export function toChanges(before: AgentDraft, after: AgentDraft): AgentChanges | null {
  const changed = FIELDS.filter(
    (field) => field !== 'name' && JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  if (changed.length === 0) return null
  return Object.fromEntries(changed.map((field) => [field, after[field]]))
}

/** What the server refuses begins with the path of the field: `models.0: there is no model x`. */
export function toProblem(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error)
  const [, path, rest] = /^(\w+)(?:\.\w+)*: (.*)$/s.exec(message) ?? []
  const field = FIELDS.find((name) => name === path)
  if (field !== undefined && rest !== undefined) return { field, message: rest }
  return { field: null, message: path === 'body' && rest !== undefined ? rest : message }
}

/** One place up (-1) or down (1); at the edges nothing moves. */
export function moveModel(models: readonly string[], index: number, by: 1 | -1): readonly string[] {
  const other = models[index + by]
  const moved = models[index]
  if (other === undefined || moved === undefined) return models
  return models.with(index, other).with(index + by, moved)
}

export type ToolGroup = {
  /** Null: Parley's own. */
  server: string | null
  tools: readonly ToolSummary[]
}

/** Every tool of a server, those it will have included. */
export const allOf = (server: string): string => `${server}__*`

export function groupTools(tools: readonly ToolSummary[]): ToolGroup[] {
  const servers = [...new Set(tools.map(({ server }) => server))]
  return servers
    .toSorted((a, b) => Number(a !== null) - Number(b !== null) || (a ?? '').localeCompare(b ?? ''))
    .map((server) => ({ server, tools: tools.filter((tool) => tool.server === server) }))
}

/** Chosen, and not offered now: the server may be away, so the names are kept. */
export function missingTools(
  chosen: readonly string[],
  tools: readonly ToolSummary[],
): readonly string[] {
  const known = new Set(
    tools.flatMap(({ name, server }) => (server === null ? [name] : [name, allOf(server)])),
  )
  return chosen.filter((name) => !known.has(name))
}

/** All of a server includes each of its tools: naming them too would say it twice. */
export function toggleTool(chosen: readonly string[], name: string): readonly string[] {
  if (chosen.includes(name)) return chosen.filter((other) => other !== name)
  const prefix = name.endsWith('__*') ? name.slice(0, -1) : null
  return [...chosen.filter((other) => prefix === null || !other.startsWith(prefix)), name]
}

// The agents an owner made (AGT1). Unlike the sessions' rows this is no projection: it is the truth.

import type { Mode } from '#protocol/events'
import { BUILTIN_AGENTS, findBuiltIn, type Agent } from '../core/agents/agent.ts'

/** Agents of one owner: they are listed whole, with their instructions. */
export const AGENTS_PER_OWNER = 100

export type AgentFields = Omit<Agent, 'builtIn'>
export type AgentChanges = Partial<Omit<AgentFields, 'name'>>

type Row = {
  name: string
  description: string
  instructions: string
  models: string
  tools: string | null
  mode: Mode
  colour: string
}

const COLUMNS = 'name, description, instructions, models, tools, mode, colour'

/** The built-in ones first, then the owner's own by name. */
export async function listAgents(db: D1Database, owner: string): Promise<Agent[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM agents WHERE owner = ?1 ORDER BY name`)
    .bind(owner)
    .all<Row>()
  // A later version may build in a name that somebody took before: the list shows what runs.
  return [...BUILTIN_AGENTS, ...results.map(toAgent).filter(({ name }) => !findBuiltIn(name))]
}

/** A built-in one needs no database: it answers even while the directory is out of reach. */
export async function loadAgent(
  db: D1Database,
  owner: string,
  name: string,
): Promise<Agent | null> {
  const builtIn = findBuiltIn(name)
  if (builtIn !== null) return builtIn
  const row = await db
    .prepare(`SELECT ${COLUMNS} FROM agents WHERE owner = ?1 AND name = ?2`)
    .bind(owner, name)
    .first<Row>()
  return row === null ? null : toAgent(row)
}

// One statement: two requests at once cannot pass the limit together.
const INSERT = `
  INSERT INTO agents (owner, ${COLUMNS}, created_at, updated_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9
  WHERE (SELECT count(*) FROM agents WHERE owner = ?1) < ${AGENTS_PER_OWNER}
  ON CONFLICT (owner, name) DO NOTHING`

export async function createAgent(
  db: D1Database,
  owner: string,
  fields: AgentFields,
  now: number,
): Promise<'created' | 'exists' | 'full'> {
  const { name, description, instructions, models, tools, mode, colour } = fields
  if (findBuiltIn(name) !== null) return 'exists'
  const values = [name, description, instructions, toJson(models), toJson(tools), mode, colour]
  const { meta } = await db
    .prepare(INSERT)
    .bind(owner, ...values, now)
    .run()
  if (meta.changes > 0) return 'created'
  return (await loadAgent(db, owner, name)) === null ? 'full' : 'exists'
}

/** null: there is none of that name. Fields that are not given stay as they are. */
export async function updateAgent(
  db: D1Database,
  owner: string,
  name: string,
  changes: AgentChanges,
  now: number,
): Promise<Agent | null> {
  const values: unknown[] = [owner, name, now]
  const set = CHANGEABLE.flatMap((column) => {
    const value = changes[column]
    if (value === undefined) return []
    values.push(column === 'models' || column === 'tools' ? toJson(value) : value)
    return [`${column} = ?${values.length}`]
  })
  const row = await db
    .prepare(
      `UPDATE agents SET ${['updated_at = ?3', ...set].join(', ')}
       WHERE owner = ?1 AND name = ?2 RETURNING ${COLUMNS}`,
    )
    .bind(...values)
    .first<Row>()
  return row === null ? null : toAgent(row)
}

const CHANGEABLE = ['description', 'instructions', 'models', 'tools', 'mode', 'colour'] as const

/** False: there was none of that name. */
export async function deleteAgent(db: D1Database, owner: string, name: string): Promise<boolean> {
  const { meta } = await db
    .prepare('DELETE FROM agents WHERE owner = ?1 AND name = ?2')
    .bind(owner, name)
    .run()
  return meta.changes > 0
}

const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

const toAgent = (row: Row): Agent => ({
  name: row.name,
  description: row.description,
  instructions: row.instructions,
  models: JSON.parse(row.models) as string[],
  tools: row.tools === null ? null : (JSON.parse(row.tools) as string[]),
  mode: row.mode,
  colour: row.colour,
  builtIn: false,
})

// Rules that an owner saved for every session. Owned by D1; a run reads them when it needs them.

import type { SavedRule } from '#protocol/decision-events'

/** More than anyone looks through; a rule beyond them is not saved. */
export const RULES_PER_OWNER = 500

type Row = {
  id: string
  verdict: SavedRule['verdict']
  kind: SavedRule['kind']
  pattern: string
  description: string
  created_at: number
}

/** Newest first. */
export async function listRules(db: D1Database, owner: string): Promise<SavedRule[]> {
  const { results } = await db
    .prepare(
      `SELECT id, verdict, kind, pattern, description, created_at FROM rules
       WHERE owner = ? ORDER BY created_at DESC, id`,
    )
    .bind(owner)
    .all<Row>()
  return results.map(({ id, created_at, ...rule }) => ({
    ruleId: id,
    ...rule,
    createdAt: created_at,
  }))
}

/** The same decision saves once. Rejects where there are too many. */
export async function saveRule(db: D1Database, owner: string, rule: SavedRule): Promise<void> {
  const { ruleId, verdict, kind, pattern, description, createdAt } = rule
  const { meta } = await db
    .prepare(
      `INSERT OR REPLACE INTO rules (owner, id, verdict, kind, pattern, description, created_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
       WHERE (SELECT count(*) FROM rules WHERE owner = ?1) < ?8`,
    )
    .bind(owner, ruleId, verdict, kind, pattern, description, createdAt, RULES_PER_OWNER)
    .run()
  if (meta.changes === 0) throw new Error('too many rules')
}

/** False: there was no such rule. */
export async function dropRule(db: D1Database, owner: string, ruleId: string): Promise<boolean> {
  const { meta } = await db
    .prepare('DELETE FROM rules WHERE owner = ? AND id = ?')
    .bind(owner, ruleId)
    .run()
  return meta.changes > 0
}

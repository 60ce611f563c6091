// Where a page of sessions ends, as text that a client carries and does not read.

import type { Position } from './sessions.ts'

export const toCursor = ({ updatedAt, id }: Position): string => `${updatedAt.toString(36)}.${id}`

export function parseCursor(cursor: string): Position | null {
  const match = /^([0-9a-z]{1,11})\.([A-Za-z0-9_-]{16,64})$/.exec(cursor)
  return match ? { updatedAt: Number.parseInt(match[1]!, 36), id: match[2]! } : null
}

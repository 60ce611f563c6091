// What the directory, the list and the inbox are told of a session.

import { RESTORE_MS } from '#protocol/limits'
import { toMission } from '#protocol/mission-schedule'
import type { SessionState } from '#protocol/state'
import { isEmptySession, toInbox, toSummary } from '#protocol/summary'
import type { Projection } from './session-deps.ts'

export function toProjection(state: SessionState, eraseAt: number | null): Projection {
  return {
    ...toSummary(state),
    empty: isEmptySession(state),
    deletedAt: eraseAt === null ? null : eraseAt - RESTORE_MS,
    waits: toInbox(state),
    mission: toMission(state.mission),
  }
}

/** `seq` alone is no news. */
const toNews = (state: SessionState): string =>
  JSON.stringify({ ...toProjection(state, null), seq: 0 })

export const isProjectedDifferently = (before: SessionState, after: SessionState): boolean =>
  toNews(before) !== toNews(after)

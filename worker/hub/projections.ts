// What a session says of itself goes to the directory and to its owner's hub. Neither minds hearing
// it twice, so the outbox tells both again when either did not hear.

import type { SessionDeps } from '../core/session/session-deps.ts'
import { dropSession, projectSession } from '../directory/sessions.ts'
import type { Env } from '../env.ts'
import { hubOf } from './rpc.ts'

export const projectionsOf = (env: Env): SessionDeps['directory'] => ({
  put: (owner, session) => {
    const { mission: _mission, ...listed } = session
    return both(projectSession(env.DB, owner, session), hubOf(env, owner).put(owner, listed))
  },
  drop: (owner, id) => both(dropSession(env.DB, owner, id), hubOf(env, owner).drop(owner, id)),
})

/** Waits for both: the next state must not be told while this one is still under way. */
async function both(...telling: Promise<void>[]): Promise<void> {
  const told = await Promise.allSettled(telling)
  const failed = told.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

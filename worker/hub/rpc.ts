// What may be asked of an owner's hub. It throws where the directory is out of reach: a session's
// outbox tries again, a client comes back.

import type { InboxEntry } from '#protocol/hub'
import type { Projection } from '../core/session/session-deps.ts'
import type { Env } from '../env.ts'

/** Every call names the owner: an object that wakes for the first time does not know whose it is. */
export interface HubRpc {
  /** What a session says of itself. Older than what was heard before: ignored. */
  put(owner: string, session: Projection): Promise<void>
  /** It is erased, and nothing revives it. */
  drop(owner: string, sessionId: string): Promise<void>
  /** Everything that waits for the owner, oldest first. */
  inbox(owner: string): Promise<InboxEntry[]>
  /** WebSocket upgrade only; owner and mode travel in headers, set by the Worker alone. */
  fetch(request: Request): Promise<Response>
}

export const MODE_HEADER = 'x-parley-mode'

export const hubOf = (env: Env, owner: string): HubRpc => env.HUB.getByName(owner)

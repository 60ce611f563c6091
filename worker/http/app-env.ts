// What every route finds in its context.

import type { Env, Settings } from '../env.ts'
import type { SessionRpc } from '../session/rpc.ts'

export type Identity = { owner: string; mode: 'loopback' | 'token' | 'access' }

export type AppEnv = {
  Bindings: Env
  Variables: {
    settings: Settings
    identity: Identity
    /** Only behind `withSession`. */
    session: SessionRpc
  }
}

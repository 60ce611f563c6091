// Setup of the workerd test project: the directory's tables, before any test runs.

import { applyD1Migrations, env, type D1Migration } from 'cloudflare:test'
import type { Env as WorkerEnv } from '../env.ts'

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {
      /** From readD1Migrations, in vitest.config.ts. */
      TEST_MIGRATIONS?: D1Migration[]
    }
  }
}

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS ?? [])

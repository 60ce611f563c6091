import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

// Three places where tests run: the suffix of a file says which.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          include: ['{worker,client,scripts}/**/*.test.ts'],
          exclude: ['**/*.do.test.ts', '**/node_modules/**'],
          testTimeout: 60_000,
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            main: './worker/index.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: { TEST_MIGRATIONS: await readD1Migrations(path('./migrations')) },
            },
          })),
        ],
        test: {
          name: 'workerd',
          include: ['worker/**/*.do.test.ts'],
          setupFiles: ['./worker/testing/apply-migrations.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'chromium',
          include: ['client/e2e/**/*.e2e.ts'],
          // One browser and one server at a time: the machine has two cores.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})

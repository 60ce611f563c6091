import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { startModelServer, type ModelServer } from './worker/testing/node/model-server.ts'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

// Started once, when the workerd project asks for its bindings; ends with this process.
let modelServer: Promise<ModelServer> | undefined

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
          cloudflareTest(async () => {
            modelServer ??= startModelServer({ isBackground: true })
            const { url, controlUrl } = await modelServer
            return {
              main: './worker/index.ts',
              wrangler: { configPath: './wrangler.toml' },
              miniflare: {
                bindings: {
                  TEST_MIGRATIONS: await readD1Migrations(path('./migrations')),
                  OPENAI_BASE_URL: url,
                  OPENAI_API_KEY: 'test-key',
                  OPENAI_MODEL: 'strict',
                  MODEL_CONTROL_URL: controlUrl,
                },
              },
            }
          }),
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

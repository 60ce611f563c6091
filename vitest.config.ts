import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { meterShell } from './scripts/meter-shell.ts'
import { startMcpServers } from './worker/testing/node/mcp-servers.ts'
import { startModelServer, type ModelServer } from './worker/testing/node/model-server.ts'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

// Started once, when the workerd project asks for its bindings; ends with this process.
let modelServer: Promise<ModelServer> | undefined
let mcpServers: Promise<string> | undefined

/** A second, which is the default, is not long on a busy machine. */
const PATIENT = { poll: { timeout: 30_000 } }

// By default one core is left to the main process, which has next to nothing to do here.
const EVERY_CORE = '100%'

// Three places where tests run: the suffix of a file says which.
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [meterShell()],
        test: {
          name: 'node',
          // Else Node loads it itself, without its meter.
          server: { deps: { inline: ['just-bash'] } },
          include: ['{worker,client,scripts}/**/*.test.ts'],
          exclude: ['**/*.do.test.ts', '**/node_modules/**'],
          maxWorkers: EVERY_CORE,
          expect: PATIENT,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        plugins: [
          meterShell(),
          cloudflareTest(async () => {
            modelServer ??= startModelServer({ isBackground: true })
            mcpServers ??= startMcpServers()
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
                  PARLEY_MCP_SERVERS: await mcpServers,
                },
              },
            }
          }),
        ],
        test: {
          name: 'workerd',
          // Loading Parley takes longer than most of these files. They share isolates, as sessions do
          // when deployed, and name their owners and sessions apart.
          isolate: false,
          include: ['worker/**/*.do.test.ts'],
          setupFiles: [
            './worker/testing/apply-migrations.ts',
            './worker/testing/load-mcp-client.ts',
          ],
          maxWorkers: EVERY_CORE,
          expect: PATIENT,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'chromium',
          include: ['client/e2e/**/*.e2e.ts'],
          globalSetup: ['./client/e2e/prepare.ts'],
          // After the others, which keep every core busy. A page mostly waits: three browsers with a
          // server each fill two cores, more would only make each other late.
          sequence: { groupOrder: 1 },
          maxWorkers: 3,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})

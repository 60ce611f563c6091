// npm run deploy: the directory's migrations, then the Worker, to the Cloudflare account that
// wrangler is logged in to.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { writeDeployConfig } from './deploy-config.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const wrangler = `${root}node_modules/wrangler/bin/wrangler.js`

const run = (args, options = {}) =>
  spawnSync(process.execPath, [wrangler, ...args], { cwd: root, stdio: 'inherit', ...options })

function runOrExit(args, hint) {
  const { status } = run(args)
  if (status === 0) return
  console.error(hint)
  process.exit(status ?? 1)
}

const who = run(['whoami', '--json'], { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
if (who.status !== 0 || /not (logged in|authenticated)|"loggedIn": *false/i.test(who.stdout)) {
  console.error(
    'Not logged in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN ' +
      '(and CLOUDFLARE_ACCOUNT_ID), then `npm run deploy` again.',
  )
  process.exit(1)
}

// Tables first: the new Worker may need them, and the old one does not mind them.
runOrExit(
  ['d1', 'migrations', 'apply', 'DB', '--remote'],
  'The migrations were not applied, nothing was deployed. If the database does not exist yet, run ' +
    '`npx wrangler d1 create parley` and put its database_id into wrangler.toml.',
)
runOrExit(['deploy', '--config', writeDeployConfig(root)], 'The Worker was not deployed.')
console.log(
  'Deployed. If it is new, set who may use it: `npx wrangler secret put PARLEY_TOKEN`. ' +
    'Until then it answers 503.',
)

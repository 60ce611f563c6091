// What is deployed and not run here: an `[ai]` binding needs the account, and an offline start
// would fail with it, so it is added to the built configuration only on the way out.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const toDeployConfig = (built) => ({ ...built, ai: { binding: 'AI' } })

/** Beside the built one, because its paths are relative. Returns where. */
export function writeDeployConfig(root) {
  const folder = join(root, 'dist/parley')
  const built = JSON.parse(readFileSync(join(folder, 'wrangler.json'), 'utf8'))
  const path = join(folder, 'wrangler.deploy.json')
  writeFileSync(path, JSON.stringify(toDeployConfig(built)))
  return path
}

// What is deployed and not run here, added to the built configuration only on the way out.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Else a fetch to another host of the owner's own zone would go past what guards that host. */
const STRICTLY_PUBLIC = 'global_fetch_strictly_public'

type Built = { compatibility_flags?: string[] }

export const toDeployConfig = (built: Built) => ({
  ...built,
  compatibility_flags: [...new Set([...(built.compatibility_flags ?? []), STRICTLY_PUBLIC])],
  // Needs the account: with it an offline start would fail.
  ai: { binding: 'AI' },
})

/** Beside the built one, because its paths are relative. Returns where. */
export function writeDeployConfig(root: string): string {
  const folder = join(root, 'dist/parley')
  const built = JSON.parse(readFileSync(join(folder, 'wrangler.json'), 'utf8')) as Built
  const path = join(folder, 'wrangler.deploy.json')
  writeFileSync(path, JSON.stringify(toDeployConfig(built)))
  return path
}

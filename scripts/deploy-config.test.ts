import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { toDeployConfig } from './deploy-config.ts'

const BUILT = {
  name: 'parley',
  compatibility_flags: ['nodejs_compat'],
  d1_databases: [{ binding: 'DB' }],
}

test('[BAK1] Workers AI is bound where Parley is deployed, and only there', () => {
  expect(toDeployConfig(BUILT)).toMatchObject({ ...BUILT, compatibility_flags: expect.any(Array) })
  expect(toDeployConfig(BUILT).ai).toEqual({ binding: 'AI' })
  expect(readFileSync(new URL('../wrangler.toml', import.meta.url), 'utf8')).not.toMatch(/\[ai\]/)
})

test('[SAF2] what a deployed tool fetches takes the public way, to its own zone too', () => {
  const flags = ['nodejs_compat', 'global_fetch_strictly_public']
  expect(toDeployConfig(BUILT).compatibility_flags).toEqual(flags)
  expect(toDeployConfig(toDeployConfig(BUILT)).compatibility_flags).toEqual(flags)
})

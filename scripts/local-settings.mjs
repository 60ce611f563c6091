// Settings of a local server: .dev.vars, and over it the environment.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** What of the environment is meant for Parley: the rest of it is none of the Worker's business. */
const NAMES = /^(PARLEY|OPENAI|ANTHROPIC)_[A-Z0-9_]+$/

export function loadSettings(root, environment) {
  const file = join(root, '.dev.vars')
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  const fromEnvironment = Object.entries(environment).filter(([name]) => NAMES.test(name))
  return { ...fromFile, ...Object.fromEntries(fromEnvironment) }
}

/** A token that opens this server; null when none is needed, or none is known here. */
export function firstToken({ PARLEY_TOKEN, PARLEY_TOKENS }) {
  if (PARLEY_TOKEN) return PARLEY_TOKEN
  const first = (PARLEY_TOKENS ?? '').split(',')[0].trim()
  return first.includes(':') ? first.slice(first.indexOf(':') + 1) : null
}

export const isLoopbackOnly = ({ PARLEY_TOKEN, PARLEY_TOKENS, PARLEY_ACCESS_TEAM_DOMAIN }) =>
  !PARLEY_TOKEN && !PARLEY_TOKENS && !PARLEY_ACCESS_TEAM_DOMAIN

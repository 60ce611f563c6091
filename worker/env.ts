// The bindings, and the settings that are read from them once.

import { COMMAND_RATE, REQUEST_RATE } from '#protocol/limits'
import type { Rate } from './core/session/token-bucket.ts'
import type { Session } from './session/object.ts'

/** Text settings: all optional, from `wrangler secret`, `.dev.vars` or the environment. */
export type Vars = {
  PARLEY_TOKEN?: string
  PARLEY_TOKENS?: string
  PARLEY_ORIGINS?: string
  PARLEY_ACCESS_TEAM_DOMAIN?: string
  PARLEY_ACCESS_AUD?: string
  PARLEY_COMMANDS_PER_MINUTE?: string
  PARLEY_REQUESTS_PER_MINUTE?: string
  OPENAI_BASE_URL?: string
  OPENAI_API_KEY?: string
  OPENAI_MODEL?: string
}

export type Env = Vars & {
  SESSION: DurableObjectNamespace<Session>
  DB: D1Database
  ASSETS: Fetcher
}

export type Credential = { owner: string; token: string }

export type Settings = {
  /** What is wrong with them: nobody is let in until it is repaired. */
  problem: string | null
  credentials: readonly Credential[]
  /** Origins that may call besides the server's own. */
  origins: ReadonlySet<string>
  access: { issuer: string; audience: string } | null
  /** No credential is configured: whoever reaches a loopback address is the owner, nobody else is. */
  isLoopbackOnly: boolean
  /** null: no limit. */
  requestRate: Rate | null
  commandRate: Rate | null
}

/** The owner of everything where only one token, or none, is configured. */
export const SOLE_OWNER = 'owner'

const parsed = new WeakMap<Vars, Settings>()

/** A wrong setting is a problem to report, never a default: a typo must not open the server. */
export function parseSettings(env: Vars): Settings {
  let settings = parsed.get(env)
  if (settings === undefined) {
    settings = readSettings(env)
    parsed.set(env, settings)
  }
  return settings
}

class SettingError extends Error {}

function readSettings(env: Vars): Settings {
  try {
    const credentials = readCredentials(env)
    const access = readAccess(env)
    const isLoopbackOnly = credentials.length === 0 && access === null
    return {
      problem: null,
      credentials,
      access,
      isLoopbackOnly,
      origins: readOrigins(env.PARLEY_ORIGINS),
      requestRate: readRate(env, 'PARLEY_REQUESTS_PER_MINUTE', REQUEST_RATE, isLoopbackOnly),
      commandRate: readRate(env, 'PARLEY_COMMANDS_PER_MINUTE', COMMAND_RATE, isLoopbackOnly),
    }
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    return { ...CLOSED, problem: error.message }
  }
}

const CLOSED: Settings = {
  problem: null,
  credentials: [],
  access: null,
  isLoopbackOnly: false,
  origins: new Set(),
  requestRate: REQUEST_RATE,
  commandRate: COMMAND_RATE,
}

// An owner travels in a header and in a cookie: printable ASCII without separators.
const OWNER = /^[A-Za-z0-9_.@+-]{1,100}$/

function readCredentials(env: Vars): Credential[] {
  const credentials = splitList(env.PARLEY_TOKENS).map((entry, index) => {
    const colon = entry.indexOf(':')
    const owner = entry.slice(0, Math.max(colon, 0))
    const token = entry.slice(colon + 1)
    // The entry itself is not quoted: it may be a token whose name is missing.
    if (!OWNER.test(owner) || !isToken(token)) {
      throw new SettingError(`PARLEY_TOKENS: entry ${index + 1} is not <name>:<token>`)
    }
    return { owner, token }
  })
  const single = env.PARLEY_TOKEN ?? ''
  if (single !== '') {
    if (!isToken(single)) throw new SettingError('PARLEY_TOKEN: must not contain spaces')
    credentials.push({ owner: SOLE_OWNER, token: single })
  }
  if (hasDuplicates(credentials.map(({ owner }) => owner))) {
    throw new SettingError('PARLEY_TOKENS: a name is given twice')
  }
  if (hasDuplicates(credentials.map(({ token }) => token))) {
    throw new SettingError('PARLEY_TOKENS: two names share a token')
  }
  if (credentials.length === 0 && (env.PARLEY_TOKENS ?? '') !== '') {
    throw new SettingError('PARLEY_TOKENS: expected <name>:<token>,<name>:<token>')
  }
  return credentials
}

const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)
const hasDuplicates = (values: string[]): boolean => new Set(values).size < values.length
const splitList = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

function readAccess(env: Vars): Settings['access'] {
  const domain = env.PARLEY_ACCESS_TEAM_DOMAIN?.trim() ?? ''
  const audience = env.PARLEY_ACCESS_AUD?.trim() ?? ''
  if (domain === '' && audience === '') return null
  if (domain === '' || audience === '') {
    throw new SettingError('PARLEY_ACCESS_TEAM_DOMAIN and PARLEY_ACCESS_AUD are set together')
  }
  const host = domain.replace(/^https:\/\//, '').replace(/\/$/, '')
  if (!/^[a-z0-9.-]+$/i.test(host)) {
    throw new SettingError('PARLEY_ACCESS_TEAM_DOMAIN: expected <team>.cloudflareaccess.com')
  }
  const issuer = `https://${host.includes('.') ? host : `${host}.cloudflareaccess.com`}`
  return { issuer, audience }
}

function readOrigins(list: string | undefined): Set<string> {
  const origins = splitList(list).map((entry) => {
    const url = URL.canParse(entry) ? new URL(entry) : null
    // A path, or an opaque scheme whose origin is "null", would silently match nothing or too much.
    if (url === null || url.origin === 'null' || url.href !== `${url.origin}/`) {
      throw new SettingError(`PARLEY_ORIGINS: ${entry} is not an origin like https://example.com`)
    }
    return url.origin
  })
  return new Set(origins)
}

function readRate(
  env: Vars,
  name: 'PARLEY_REQUESTS_PER_MINUTE' | 'PARLEY_COMMANDS_PER_MINUTE',
  standard: Rate,
  isLoopbackOnly: boolean,
): Rate | null {
  const text = env[name]?.trim() ?? ''
  if (text === '') return isLoopbackOnly ? null : standard
  const perMinute = Number(text)
  if (!Number.isInteger(perMinute) || perMinute < 1) {
    throw new SettingError(`${name}: expected a whole number of at least 1`)
  }
  // The burst keeps its share, or a small rate would be a burst of the standard size.
  const burst = Math.max(1, Math.round((perMinute * standard.burst) / standard.perMinute))
  return { perMinute, burst }
}

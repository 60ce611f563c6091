// The bindings, and the settings that are read from them once.

import { COMMAND_RATE, REQUEST_RATE, STALL_MS } from '#protocol/limits'
import { DEFAULT_SENSITIVE_PATTERNS, findPatternProblem } from './core/policy/sensitive.ts'
import type { Rate } from './core/session/token-bucket.ts'
import type { Hub } from './hub/object.ts'
import { parseMcpServers, type McpServers } from './mcp/settings.ts'
import { parseDemoRate } from './models/demo.ts'
import { parseModelInfo } from './models/info.ts'
import type { WorkersAi } from './models/workers-ai.ts'
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
  PARLEY_STALL_SECONDS?: string
  PARLEY_DEMO_RATE?: string
  PARLEY_FALLBACK?: string
  PARLEY_MODEL_INFO?: string
  PARLEY_MCP_SERVERS?: string
  PARLEY_WEB_PRIVATE?: string
  PARLEY_SENSITIVE_PATTERNS?: string
  PARLEY_DECISION_HOURS?: string
  OPENAI_BASE_URL?: string
  OPENAI_API_KEY?: string
  OPENAI_MODEL?: string
  ANTHROPIC_BASE_URL?: string
  ANTHROPIC_API_KEY?: string
  ANTHROPIC_MODEL?: string
  ANTHROPIC_THINKING_TOKENS?: string
  WORKERS_AI_MODEL?: string
}

export type Env = Vars & {
  SESSION: DurableObjectNamespace<Session>
  HUB: DurableObjectNamespace<Hub>
  DB: D1Database
  ASSETS: Fetcher
  /**
   * The way out for tools that fetch what a model names, where the server runs on somebody's machine:
   * a public name can be made to mean a private address. Cloudflare's network reaches none. `npm start`
   * binds it; Vite's plugin for `npm run dev` has no way to (docs/protocol.md says so).
   */
  PUBLIC_WEB?: Fetcher
  /** Only where deployed: an offline `wrangler dev` does not start with it. */
  AI?: WorkersAi
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
  /** A provider that is silent for this long has failed. */
  stallMs: number
  mcpServers: McpServers
  /** The web tools may reach private addresses: for a server that only its owner can reach. */
  isWebPrivate: boolean
  /** Globs of files whose change needs a person. */
  sensitivePatterns: readonly string[]
  /** How long a decision may wait; null: for ever. */
  decisionMs: number | null
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
      ...readEngine(env),
      ...readPolicy(env),
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
  stallMs: STALL_MS,
  mcpServers: [],
  isWebPrivate: false,
  sensitivePatterns: DEFAULT_SENSITIVE_PATTERNS,
  decisionMs: null,
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

function readEngine(env: Vars): Pick<Settings, 'stallMs' | 'mcpServers' | 'isWebPrivate'> {
  const info = parseModelInfo(env.PARLEY_MODEL_INFO ?? '')
  if (!info.ok) throw new SettingError(`PARLEY_MODEL_INFO: ${info.problem}`)
  const mcp = parseMcpServers(env.PARLEY_MCP_SERVERS ?? '')
  if (!mcp.ok) throw new SettingError(`PARLEY_MCP_SERVERS: ${mcp.problem}`)
  const seconds = env.PARLEY_STALL_SECONDS?.trim() ?? ''
  const stallMs = seconds === '' ? STALL_MS : Number(seconds) * 1000
  if (!Number.isFinite(stallMs) || stallMs < 1000) {
    throw new SettingError('PARLEY_STALL_SECONDS: expected a number of at least 1')
  }
  const thinking = Number(env.ANTHROPIC_THINKING_TOKENS?.trim() ?? '0')
  if (!Number.isInteger(thinking) || thinking < 0) {
    throw new SettingError('ANTHROPIC_THINKING_TOKENS: expected a whole number')
  }
  if (parseDemoRate(env.PARLEY_DEMO_RATE) === null) {
    throw new SettingError('PARLEY_DEMO_RATE: expected a number from 1 to 10000')
  }
  const isPrivate = env.PARLEY_WEB_PRIVATE?.trim() ?? ''
  if (!['', '0', '1'].includes(isPrivate)) {
    throw new SettingError('PARLEY_WEB_PRIVATE: expected 1 or nothing')
  }
  return { stallMs, mcpServers: mcp.servers, isWebPrivate: isPrivate === '1' }
}

const HOUR_MS = 3_600_000

function readPolicy(env: Vars): Pick<Settings, 'sensitivePatterns' | 'decisionMs'> {
  const hours = env.PARLEY_DECISION_HOURS?.trim() ?? ''
  const decisionMs = hours === '' ? null : Number(hours) * HOUR_MS
  if (decisionMs !== null && !(Number.isFinite(decisionMs) && decisionMs >= 60_000)) {
    throw new SettingError('PARLEY_DECISION_HOURS: expected a number of hours, at least 0.02')
  }
  const more = splitList(env.PARLEY_SENSITIVE_PATTERNS)
  for (const [index, pattern] of more.entries()) {
    const problem = findPatternProblem(pattern)
    if (problem === null) continue
    throw new SettingError(`PARLEY_SENSITIVE_PATTERNS: entry ${index + 1} is ${problem}`)
  }
  return { sensitivePatterns: [...DEFAULT_SENSITIVE_PATTERNS, ...more], decisionMs }
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

// PARLEY_MCP_SERVERS: {"name": {"url": "https://…", "headers": {…}?, "timeMs": …?}}

import { z } from 'zod'

/** A tool of a server has its name as prefix and 64 characters in all: half of them at most. */
const NAME = /^[a-z0-9-]{1,32}$/
const SERVERS = 20
const TIME_MS_MAX = 600_000

export type McpServer = {
  name: string
  url: URL
  /** Secrets: they are sent to the server and shown nowhere. */
  headers: Readonly<Record<string, string>>
  timeMs?: number
}

export type McpServers = readonly McpServer[]

export type ParsedServers = { ok: true; servers: McpServers } | { ok: false; problem: string }

const Entry = z.strictObject({
  url: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  timeMs: z.int().min(1).max(TIME_MS_MAX).optional(),
})

export function parseMcpServers(text: string): ParsedServers {
  if (text.trim() === '') return { ok: true, servers: [] }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own message would quote the text, and the text holds secrets.
    return { ok: false, problem: 'is not valid JSON' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problem: 'expected {"name": {"url": "https://…"}}' }
  }
  const entries = Object.entries(value)
  if (entries.length > SERVERS) return { ok: false, problem: `more than ${SERVERS} servers` }
  const servers: McpServer[] = []
  for (const [name, raw] of entries) {
    const parsed = parseServer(name, raw)
    if (typeof parsed === 'string') return { ok: false, problem: parsed }
    servers.push(parsed)
  }
  return { ok: true, servers }
}

/** The server, or what is wrong with it in words that hold none of its values. */
function parseServer(name: string, raw: unknown): McpServer | string {
  if (!NAME.test(name)) return 'a server name has 1 to 32 of a-z, 0-9 and "-"'
  const entry = Entry.safeParse(raw)
  if (!entry.success) {
    const [issue] = entry.error.issues
    // Below `headers` a path is a header's name, which may be a secret put in the wrong place.
    const field = String(issue?.path[0] ?? '')
    return `${name}: ${field === '' ? 'expected url, headers and timeMs only' : `${field} is wrong`}`
  }
  const url = URL.parse(entry.data.url)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return `${name}: url is not an http(s) address`
  }
  if (url.username !== '' || url.password !== '') {
    return `${name}: put credentials into headers, not into the url`
  }
  const { headers, timeMs } = entry.data
  try {
    void new Headers(headers)
  } catch {
    return `${name}: a header has a name or a value that cannot be sent`
  }
  return { name, url, headers, ...(timeMs !== undefined && { timeMs }) }
}

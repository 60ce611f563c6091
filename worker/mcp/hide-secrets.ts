import type { McpServer } from './settings.ts'

/** Shorter values are words like "true", which hide nothing and would eat holes into any text. */
const SECRET_CHARS = 6
/** Some servers are reached by an address that is itself the key; names of paths are shorter. */
const SECRET_PATH_CHARS = 20
const HIDDEN = '[hidden]'

/** A server can send back what it was sent: no header value gets into the log that way. */
export function hideSecrets(text: string, server: McpServer): string {
  return secretsOf(server).reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
}

const known = new WeakMap<McpServer, readonly string[]>()

function secretsOf(server: McpServer): readonly string[] {
  let secrets = known.get(server)
  if (secrets === undefined) {
    secrets = findSecrets(server)
    known.set(server, secrets)
  }
  return secrets
}

function findSecrets({ headers, url }: McpServer): string[] {
  const values = [...Object.values(headers), ...url.searchParams.values()]
  // "Bearer abc" is also a secret without its first word.
  const words = values.flatMap((value) => [value.trim(), value.trim().split(/\s+/).at(-1)!])
  const segments = url.pathname.split('/').filter((part) => part.length >= SECRET_PATH_CHARS)
  const plain = [...words, ...segments].filter((secret) => secret.length >= SECRET_CHARS)
  // As they are, within JSON, and within an address. The longest first, or its rest would stay.
  const forms = plain.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
  ])
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

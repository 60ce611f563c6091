// Names that every provider takes, from names that a server made up.

/** What the strictest provider accepts. */
const NAME_CHARS = 64
const HASH_CHARS = 7

/**
 * Exposed name of each of a server's tools, in the order given. A name that has to be changed and
 * would then be another tool's gets a hash of the original, so that it does not depend on the order
 * in which a server lists its tools.
 */
export function toToolNames(server: string, names: readonly string[]): string[] {
  const taken = new Set(names.filter((name) => toPlain(server, name) === `${server}__${name}`))
  const plain = names.map((name) => toPlain(server, name))
  const counts = new Map<string, number>()
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1)
  const used = new Set([...taken].map((name) => `${server}__${name}`))
  return names.map((name, index) => {
    const exposed = plain[index]!
    if (taken.has(name)) return exposed
    const isLong = server.length + 2 + name.length > NAME_CHARS
    let unique = isLong || counts.get(exposed) !== 1 ? withHash(exposed, name) : exposed
    // Two hashes that are equal are made by someone who wants that: counting ends it.
    for (let n = 2; used.has(unique); n++) unique = withHash(exposed, `${name} ${n}`)
    used.add(unique)
    return unique
  })
}

function toPlain(server: string, name: string): string {
  const clean = name.replace(/[^A-Za-z0-9_-]/g, '_')
  return `${server}__${clean}`.slice(0, NAME_CHARS)
}

function withHash(exposed: string, name: string): string {
  return `${exposed.slice(0, NAME_CHARS - HASH_CHARS - 1)}_${hash(name)}`
}

/** FNV-1a: names apart by accident, not by attack. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return value.toString(36).padStart(HASH_CHARS, '0')
}

// Which addresses a model may have fetched. A model's words are hostile: what it is told to open
// must not reach the network this runs in. Every spelling is read by the URL parser first, the same
// one that fetch uses, so that what is checked is what is asked.
//
// What this cannot do: a Worker cannot resolve a name before it fetches, so a public name whose
// record says 127.0.0.1, or changes between two look-ups, passes. On Cloudflare such a fetch ends at
// the edge, which has no route into anybody's private network. On a machine of one's own (npm start)
// only the `fetch` that the tool is given can tell, since it alone sees the address it connects to: a
// workerd network service that allows `public` refuses there. What is cheap here is done here: the
// well-known names that resolve to whatever address is written in them.

/** Web servers. Anything else is more often a database or an admin page than a page to read. */
const PORTS: ReadonlySet<string> = new Set(['', '80', '443', '8080', '8443'])

/** Of an address as a whole, as it is written and as it is asked for. */
export const ADDRESS_CHARS = 2048
/** Longer ones cannot be looked up. */
const HOST_CHARS = 253

/** Reserved, or given out by routers, clusters and offices: no domains of the internet. */
const LOCAL_NAMES =
  'localhost local internal intranet lan home corp private localdomain domain router default svc ' +
  'consul arpa onion test invalid fritz.box'
/** Domains of the internet whose names resolve into private networks. */
const LOCAL_BY_RECORD =
  'ts.net nip.io sslip.io xip.io traefik.me localtest.me lvh.me vcap.me lacolhost.com ' +
  'local-ip.co localho.st'
const LOCAL_SUFFIXES = `${LOCAL_NAMES} ${LOCAL_BY_RECORD}`.split(' ')

/** First address and prefix length, from the registry of special-purpose addresses of IANA. */
const BLOCKED_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier NAT, and the metadata service of one cloud
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // not in the registry: the host of every virtual machine in one cloud
  ['169.254.0.0', 16], // link-local, and the metadata services of the others
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments, and one more metadata service
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]

/** Only global unicast is left of IPv6, less the parts of it that carry an IPv4 address. */
const ALLOWED_V6 = ['2000::', 3] as const
const BLOCKED_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // protocol assignments, Teredo among them
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

export type CheckedAddress = { ok: true; url: URL } | { ok: false; problem: string }

export function checkAddress(text: string, base?: URL, allowPrivate = false): CheckedAddress {
  const url = URL.parse(text, base?.href)
  if (url === null) return refuse('it is not an absolute URL such as https://example.com/page')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return refuse('only http and https can be fetched')
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('a name or password in the address is not allowed')
  }
  // A fragment is not sent, and is no part of what was fetched.
  url.hash = ''
  if (allowPrivate) return { ok: true, url }
  if (!PORTS.has(url.port)) return refuse(`port ${url.port} is not one that serves web pages`)
  if (!isPublicHost(url.hostname)) {
    return refuse('its host is not on the public internet')
  }
  return { ok: true, url }
}

const refuse = (problem: string): CheckedAddress => ({ ok: false, problem })

/** `hostname` as a URL gives it: lower case, decimal, octal and hex IPv4 already written in dots. */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return isPublicV6(hostname.slice(1, -1))
  // A trailing dot names the same host; more of them are an empty label.
  const host = hostname.replace(/\.$/, '')
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPublicV4(host)
  const labels = host.split('.')
  if (host.length > HOST_CHARS || labels.length < 2 || labels.includes('')) return false
  // No top-level domain is a number: this would be an IPv4 form that the URL parser let pass.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return false
  return !LOCAL_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))
}

function isPublicV4(host: string): boolean {
  const address = v4Bits(host)
  return (
    address !== null &&
    !BLOCKED_V4.some(([first, length]) => isIn(address, v4Bits(first)!, length, 32))
  )
}

function v4Bits(host: string): bigint | null {
  const parts = host.split('.').map(Number)
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255))) return null
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
}

function isPublicV6(host: string): boolean {
  const address = v6Bits(host)
  if (address === null) return false
  const isInside = ([first, length]: readonly [string, number]) =>
    isIn(address, v6Bits(first)!, length, 128)
  return isInside(ALLOWED_V6) && !BLOCKED_V6.some(isInside)
}

/** Of the form that a URL writes: groups of hex digits, at most one `::`, no dots. */
function v6Bits(host: string): bigint | null {
  const [head = '', tail] = host.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = 8 - before.length - after.length
  if (tail === undefined ? missing !== 0 : missing < 0) return null
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return null
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}

function isIn(address: bigint, first: bigint, length: number, width: number): boolean {
  const shift = BigInt(width - length)
  return address >> shift === first >> shift
}

// When a provider wants to be asked again, in the many ways in which they say it.

/**
 * null: it did not say, or nothing that makes sense. `isLimit`: too much was asked. Only then do
 * counters say anything: they come with every answer, and a server that is down is not waiting for
 * a minute to be over.
 */
export function readRetryAfter(
  headers: unknown,
  message: string,
  isLimit: boolean,
  now: number = Date.now(),
): number | null {
  const get = toLookup(headers)
  const inMs = Number(get('retry-after-ms') ?? 'none')
  if (Number.isFinite(inMs) && inMs >= 0) return Math.ceil(inMs)
  const reset = isLimit ? latestReset(headers, get, now) : null
  return toDelay(get('retry-after'), now) ?? reset ?? delayInText(message)
}

type Lookup = (name: string) => string | undefined

/** Plain objects from the packages: their names are lower case, but nothing promises it. */
function toLookup(headers: unknown): Lookup {
  const entries = typeof headers === 'object' && headers !== null ? Object.entries(headers) : []
  const byName = new Map(entries.map(([name, value]) => [name.toLowerCase(), String(value)]))
  return (name) => byName.get(name)
}

/** The latest reset of what is used up, or may be: not every server says what is left. */
function latestReset(headers: unknown, get: Lookup, now: number): number | null {
  const names = typeof headers === 'object' && headers !== null ? Object.keys(headers) : []
  const delays = names.flatMap((name) => {
    const key = name.toLowerCase()
    if (!/^(?:x|anthropic)-ratelimit-.*reset|^x-ratelimit-reset/.test(key)) return []
    const isLeft = Number(get(key.replace('reset', 'remaining')) ?? 0) > 0
    return isLeft ? [] : (toDelay(get(key), now) ?? [])
  })
  return delays.length === 0 ? null : Math.max(...delays)
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
/** Larger numbers are points in time, not waits: no provider asks for more than a year. */
const LONGEST_WAIT_SECONDS = 31_536_000
const FIRST_EPOCH_MS = 100_000_000_000

/** `20`, `1.5`, `6m0s`, `120ms`, `1750000000` (s), `1750000000000` (ms) and dates. */
function toDelay(text: string | undefined, now: number): number | null {
  const value = text?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const number = Number(value)
    if (number <= LONGEST_WAIT_SECONDS) return Math.ceil(number * 1000)
    return Math.max(0, (number < FIRST_EPOCH_MS ? number * 1000 : number) - now)
  }
  if (/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(value)) {
    let total = 0
    for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
      total += Number(amount) * UNIT_MS[unit!]!
    }
    return Math.ceil(total)
  }
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** "Please try again in 1.2s" (OpenAI, Groq), "Please retry in 34s" (Gemini). */
function delayInText(message: string): number | null {
  const [, text] =
    /\b(?:re)?try(?: again)? in ((?:\d+(?:\.\d+)?(?:ms|s|m|h)){1,4})\b/i.exec(message) ?? []
  return toDelay(text, 0)
}

// Numbers as people read them. Pure: the transcript must say the same on every load.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export function formatDuration(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  const seconds = Math.round(ms / SECOND)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export function formatTokens(tokens: number): string {
  if (tokens < 1000) return `${tokens} ${tokens === 1 ? 'token' : 'tokens'}`
  if (tokens < 999_950) return `${(tokens / 1000).toFixed(1).replace(/\.0$/, '')}k tokens`
  return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, '')}M tokens`
}

export function formatCost(usd: number): string {
  if (usd > 0 && usd < 0.0001) return '<$0.0001'
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`
}

/** For the session list, which is not part of the transcript. */
export function formatAge(at: number, now: number): string {
  const age = Math.max(0, now - at)
  if (age < MINUTE) return 'now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`
  if (age < DAY) return `${Math.floor(age / HOUR)} h`
  if (age < 7 * DAY) return `${Math.floor(age / DAY)} d`
  return new Date(at).toLocaleDateString(undefined, { month: 'short', day: 'numeric' })
}

/** Indented where it is JSON; as it stands where it is not, or not all there yet. */
export function formatJson(text: string): string {
  const first = text.trimStart().charAt(0)
  if (first !== '{' && first !== '[') return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

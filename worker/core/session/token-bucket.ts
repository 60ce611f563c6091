// A token bucket as a value: who holds it decides where it lives and how long.

export type Rate = { perMinute: number; burst: number }
export type Bucket = { tokens: number; at: number }

/** No bucket yet: full. A clock that steps back refills nothing and takes nothing away. */
export function takeToken(
  bucket: Bucket | undefined,
  rate: Rate,
  now: number,
): { bucket: Bucket; ok: boolean; retryAfterSeconds: number } {
  const perMs = rate.perMinute / 60_000
  const elapsed = bucket === undefined ? 0 : Math.max(0, now - bucket.at)
  const held = bucket === undefined ? rate.burst : bucket.tokens + elapsed * perMs
  const tokens = Math.min(rate.burst, held)
  // Sums of fractions stop just short of one; without the tolerance a caller who waited as long
  // as it was told is refused.
  if (tokens >= 1 - 1e-9) {
    return { bucket: { tokens: Math.max(0, tokens - 1), at: now }, ok: true, retryAfterSeconds: 0 }
  }
  const retryAfterSeconds = Math.max(1, Math.ceil((1 - tokens) / perMs / 1000))
  return { bucket: { tokens, at: now }, ok: false, retryAfterSeconds }
}

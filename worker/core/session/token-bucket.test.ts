import { describe, expect, test } from 'vitest'
import { takeToken, type Bucket, type Rate } from './token-bucket.ts'

const RATE: Rate = { perMinute: 60, burst: 3 }

function takeMany(times: number, now: number, start?: Bucket) {
  let bucket = start
  const answers = Array.from({ length: times }, () => {
    const taken = takeToken(bucket, RATE, now)
    bucket = taken.bucket
    return taken.ok
  })
  return { answers, bucket }
}

describe('token bucket', () => {
  test('[SAF2] allows the burst at once and refuses the next', () => {
    expect(takeMany(4, 1000).answers).toEqual([true, true, true, false])
  })

  test('[SAF2] says how long to wait, and keeps that word', () => {
    const { bucket } = takeMany(3, 1000)
    const refused = takeToken(bucket, RATE, 1000)
    expect(refused).toMatchObject({ ok: false, retryAfterSeconds: 1 })
    const later = takeToken(refused.bucket, RATE, 1000 + refused.retryAfterSeconds * 1000)
    expect(later.ok).toBe(true)
  })

  test('[SAF2] keeps that word for rates that do not divide evenly', () => {
    for (const perMinute of [1, 7, 11, 13, 59, 121, 1207]) {
      const rate = { perMinute, burst: 1 }
      const first = takeToken(undefined, rate, 0)
      const refused = takeToken(first.bucket, rate, 0)
      let bucket = refused.bucket
      // Asking in between must not lose what was earned.
      for (let at = 100; at < refused.retryAfterSeconds * 1000; at += 100) {
        const asked = takeToken(bucket, rate, at)
        if (asked.ok) break
        bucket = asked.bucket
      }
      expect(takeToken(bucket, rate, refused.retryAfterSeconds * 1000).ok).toBe(true)
    }
  })

  test('[SAF2] never holds more than the burst, however long it rested', () => {
    const { bucket } = takeMany(3, 0)
    expect(takeMany(5, 3_600_000, bucket).answers).toEqual([true, true, true, false, false])
  })

  test('[SAF2] a clock that steps back neither refills nor locks out', () => {
    const { bucket } = takeMany(2, 10_000)
    const back = takeMany(2, 5000, bucket)
    expect(back.answers).toEqual([true, false])
    expect(takeToken(back.bucket, RATE, 6000).ok).toBe(true)
  })
})

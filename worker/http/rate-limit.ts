// Requests per owner, counted in this isolate's memory: a brake for one careless client, not an
// account of what is used. Several isolates each allow the rate.

import { createMiddleware } from 'hono/factory'
import { takeToken, type Bucket, type Rate } from '../core/session/token-bucket.ts'
import type { Rejection } from '#protocol/http'
import type { AppEnv } from './app-env.ts'
import { refuse } from './respond.ts'

/** Keys held; past it the one used longest ago is forgotten, that is, starts full again. */
const HELD_KEYS = 10_000

const buckets = new Map<string, Bucket>()

/** null: go ahead. */
export function takeRequest(key: string, rate: Rate, now = Date.now()): Rejection | null {
  const { bucket, ok, retryAfterSeconds } = takeToken(buckets.get(key), rate, now)
  // Deleted first, so that the map's order is the order of use.
  buckets.delete(key)
  buckets.set(key, bucket)
  if (buckets.size > HELD_KEYS) buckets.delete(buckets.keys().next().value ?? '')
  if (ok) return null
  const message = `too many requests; try again in ${retryAfterSeconds} s`
  return { code: 'rate_limited', message, retryAfterSeconds }
}

export const limitRequests = createMiddleware<AppEnv>(async (c, next) => {
  const { requestRate } = c.var.settings
  const rejection = requestRate && takeRequest(`owner:${c.var.identity.owner}`, requestRate)
  return rejection ? refuse(c.req.raw, rejection) : next()
})

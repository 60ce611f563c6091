// Which models there are, what they can do and what they cost.

import { Hono } from 'hono'
import { resolveModels } from '../models/resolve.ts'
import type { AppEnv } from './app-env.ts'

export const models = new Hono<AppEnv>()

models.get('/models', (c) => {
  const resolved = resolveModels(c.env)
  return c.json({ models: resolved.list(), default: resolved.defaultId })
})

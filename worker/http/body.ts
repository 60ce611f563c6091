// Bodies from outside: size first, then JSON, then schema.

import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import { CLIENT_FRAME_BYTES } from '#protocol/limits'
import { check, parseJson } from '#protocol/parse'
import type { Result } from '../session/rpc.ts'
import { refuse } from './respond.ts'

/** By Content-Length where it is given, else while reading: nothing larger is ever held. */
export const limitBody = bodyLimit({
  maxSize: CLIENT_FRAME_BYTES,
  onError: (c) =>
    refuse(c.req.raw, { code: 'too_large', message: `body: at most ${CLIENT_FRAME_BYTES} bytes` }),
})

export async function readJson(c: Context): Promise<Result<unknown>> {
  return parseJson(await c.req.text())
}

export async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<Result<T>> {
  const json = await readJson(c)
  return json.ok ? check<T>(schema, json.value) : json
}

/** Like readBody, where no body at all means no fields. */
export async function readOptionalBody<T>(c: Context, schema: z.ZodType<T>): Promise<Result<T>> {
  const raw = await c.req.text()
  if (raw.trim() === '') return check<T>(schema, {})
  const json = parseJson(raw)
  return json.ok ? check<T>(schema, json.value) : json
}

export function readQuery<T>(c: Context, schema: z.ZodType<T>): Result<T> {
  return check<T>(schema, c.req.query())
}

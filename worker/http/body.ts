// Bodies from outside: size first, then JSON, then schema.

import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type { z } from 'zod'
import type { Rejection } from '#protocol/http'
import { CLIENT_FRAME_BYTES } from '#protocol/limits'
import { check, parseJson } from '#protocol/parse'
import type { Result } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { refuse } from './respond.ts'

const tooLarge = (max: number): Rejection => ({
  code: 'too_large',
  message: `body: at most ${max} bytes`,
})

const limitJson = bodyLimit({
  maxSize: CLIENT_FRAME_BYTES,
  onError: (c) => refuse(c.req.raw, tooLarge(CLIENT_FRAME_BYTES)),
})

/** Files are larger: they are read by `readBytes`, once it is known who sends them. */
const UPLOAD = /^(?:PUT \/api\/sessions\/[^/]+\/files\/|POST \/api\/sessions\/[^/]+\/files\.zip$)/

/** By Content-Length where it is given, else while reading: nothing larger is ever held. */
export const limitBody = createMiddleware<AppEnv>(async (c, next) => {
  const isUpload = UPLOAD.test(`${c.req.method} ${new URL(c.req.url).pathname}`)
  return isUpload ? next() : limitJson(c, next)
})

/** A body of bytes. What is too large is not read to its end. */
export async function readBytes(c: Context, max: number): Promise<Result<Uint8Array>> {
  const refused = { ok: false, rejection: tooLarge(max) } as const
  if (Number(c.req.header('content-length') ?? 0) > max) return refused
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = (c.req.raw.body as ReadableStream<Uint8Array> | null)?.getReader()
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const read = await reader?.read()
    if (read === undefined || read.done) break
    length += read.value.length
    if (length > max) {
      // oxlint-disable-next-line no-await-in-loop
      await reader?.cancel()
      return refused
    }
    chunks.push(read.value)
  }
  const value = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    value.set(chunk, at)
    at += chunk.length
  }
  return { ok: true, value }
}

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

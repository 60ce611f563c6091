// From unknown bytes to typed values: size first, then JSON, then schema. Never throws.

import { z } from 'zod'
import { CommandSchema, type Command } from './commands.ts'
import type { ClientFrame, Hello as HelloFrame } from './frames.ts'
import type { Rejection } from './http.ts'
import { CLIENT_FRAME_BYTES, TAIL_EVENTS_MAX } from './limits.ts'
import { utf8Bytes } from './text.ts'

export type Parsed<T> =
  | { ok: true; value: T }
  | { ok: false; id: string | null; rejection: Rejection }

const seq = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

const Hello = z.object({
  type: z.literal('hello'),
  version: z.number().int().min(1),
  after: seq.nullable(),
  tail: z.number().int().min(1).max(TAIL_EVENTS_MAX).optional(),
})
const Seen = z.object({ type: z.literal('seen'), seq })

/** Whole schema of what clients send, for the fingerprint in version.ts. */
export const ClientSchemas = { hello: Hello, seen: Seen, command: CommandSchema }

export function parseClientFrame(raw: string): Parsed<ClientFrame> {
  const json = parseJson(raw)
  if (!json.ok) return json
  const type = (json.value as { type?: unknown } | null)?.type
  if (type === 'hello') return check<ClientFrame>(Hello, json.value)
  if (type === 'seen') return check<ClientFrame>(Seen, json.value)
  return parseCommand(json.value)
}

/** A hub is told hello and nothing else. */
export function parseHubFrame(raw: string): Parsed<HelloFrame> {
  const json = parseJson(raw)
  return json.ok ? check<HelloFrame>(Hello, json.value) : json
}

export const parseCommand = (value: unknown): Parsed<Command> =>
  check<Command>(CommandSchema, value)

export function parseJson(raw: string): Parsed<unknown> {
  if (raw.length > CLIENT_FRAME_BYTES || utf8Bytes(raw) > CLIENT_FRAME_BYTES) {
    return reject(null, 'too_large', `at most ${CLIENT_FRAME_BYTES} bytes`)
  }
  try {
    return { ok: true, value: JSON.parse(raw) as unknown }
  } catch {
    return reject(null, 'bad_request', 'not valid JSON')
  }
}

/** Check `value` against a schema; a failure names the path of the wrong field. */
export function check<T>(schema: z.ZodType, value: unknown): Parsed<T> {
  const result = schema.safeParse(value)
  if (result.success) return { ok: true, value: result.data as T }
  const id = (value as { id?: unknown } | null)?.id
  const issue = result.error.issues[0]
  const params = (issue as { params?: { code?: string } } | undefined)?.params
  return reject(
    typeof id === 'string' && id.length <= 200 ? id : null,
    params?.code === 'too_large' ? 'too_large' : 'bad_request',
    describeIssue(issue),
  )
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'malformed'
  const path =
    issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path
  return `${path.length === 0 ? 'body' : path.join('.')}: ${issue.message}`
}

function reject(id: string | null, code: Rejection['code'], message: string): Parsed<never> {
  return { ok: false, id, rejection: { code, message } }
}

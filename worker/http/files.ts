// The files of a session: the tree, one file, an archive of all. What comes out is never run: an
// uploaded page must not become a page of this origin.

import { Hono, type Context } from 'hono'
import { z } from 'zod'
import { ARCHIVE_BYTES, WORKSPACE_FILE_BYTES } from '#protocol/limits'
import type { FileContent, FileRefusal, Precondition, Result } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { readBody, readBytes, readQuery } from './body.ts'
import { answer, refuse } from './respond.ts'
import { withWorkspace } from './session-stub.ts'

const ReadQuery = z.object({
  version: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected a hash')
    .optional(),
  inline: z.string().optional(),
})
type ReadQuery = z.infer<typeof ReadQuery>

const Move = z.strictObject({ from: z.string(), to: z.string() })
const FolderQuery = z.object({ folder: z.string().default('') })
const IntoQuery = z.object({ into: z.string().default('') })

export const files = new Hono<AppEnv>()

files.get('/:id/files', withWorkspace, async (c) =>
  answer(c, await c.var.session.listFiles(c.var.identity.owner), (list) => list),
)

files.get('/:id/files.zip', withWorkspace, async (c) => {
  const query = readQuery<z.infer<typeof FolderQuery>>(c, FolderQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const zip = await c.var.session.downloadFiles(c.var.identity.owner, query.value.folder)
  if (!zip.ok) return refuse(c.req.raw, zip.rejection)
  return new Response(zip.value, {
    headers: {
      ...HARMLESS,
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="workspace.zip"',
    },
  })
})

files.post('/:id/files.zip', withWorkspace, async (c) => {
  const query = readQuery<z.infer<typeof IntoQuery>>(c, IntoQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const bytes = await readBytes(c, ARCHIVE_BYTES)
  if (!bytes.ok) return refuse(c.req.raw, bytes.rejection)
  const { into } = query.value
  const upload = { into, bytes: bytes.value }
  return answer(c, await c.var.session.uploadFiles(c.var.identity.owner, upload), (done) => done)
})

files.post('/:id/files/move', withWorkspace, async (c) => {
  const move = await readBody<z.infer<typeof Move>>(c, Move)
  if (!move.ok) return refuse(c.req.raw, move.rejection)
  return answerWrite(c, await c.var.session.moveFile(c.var.identity.owner, move.value))
})

files.get('/:id/files/*', withWorkspace, async (c) => {
  const path = pathOf(c)
  const query = readQuery<ReadQuery>(c, ReadQuery)
  if (!path.ok) return refuse(c.req.raw, path.rejection)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { version, inline } = query.value
  const found = await c.var.session.readFile(c.var.identity.owner, path.value, version)
  if (!found.ok) return refuse(c.req.raw, found.rejection)
  return toResponse(c, found.value, inline !== undefined)
})

files.put('/:id/files/*', withWorkspace, async (c) => {
  const path = pathOf(c)
  const only = preconditionOf(c)
  if (!path.ok) return refuse(c.req.raw, path.rejection)
  if (!only.ok) return refuse(c.req.raw, only.rejection)
  const bytes = await readBytes(c, WORKSPACE_FILE_BYTES)
  if (!bytes.ok) return refuse(c.req.raw, bytes.rejection)
  const write = { path: path.value, bytes: bytes.value, ...only.value }
  return answerWrite(c, await c.var.session.writeFile(c.var.identity.owner, write))
})

files.delete('/:id/files/*', withWorkspace, async (c) => {
  const path = pathOf(c)
  const only = preconditionOf(c)
  if (!path.ok) return refuse(c.req.raw, path.rejection)
  if (!only.ok) return refuse(c.req.raw, only.rejection)
  const write = { path: path.value, bytes: null, ...only.value }
  return answerWrite(c, await c.var.session.writeFile(c.var.identity.owner, write))
})

/**
 * What follows `/files/`, decoded once and no more: what is still encoded after that is part of a
 * name, and the workspace refuses names that read as another path. A route is found in the decoded
 * address: one that spells anything before the path in another way has no place where it begins.
 */
function pathOf(c: Context<AppEnv>): Result<string> {
  const { pathname } = new URL(c.req.url)
  const base = `/api/sessions/${c.req.param('id')}/files/`
  if (!pathname.startsWith(base)) return NO_PLACE
  try {
    return { ok: true, value: decodeURIComponent(pathname.slice(base.length)) }
  } catch {
    return badRequest('path: not valid percent-encoding of UTF-8')
  }
}

const NO_PLACE: Result<never> = {
  ok: false,
  rejection: { code: 'not_found', message: 'no such thing here' },
}

const badRequest = (message: string): Result<never> => ({
  ok: false,
  rejection: { code: 'bad_request', message },
})

/** A proxy that compresses makes a tag weak; it still names the content. */
const TAG = /^(?:W\/)?"([0-9a-f]{64})"$/

/** One tag or `*`: nobody needs a list of them, and half an answer to one would lose a file. */
function preconditionOf(c: Context): Result<{ only?: Precondition }> {
  const match = c.req.header('if-match')?.trim()
  const noneMatch = c.req.header('if-none-match')?.trim()
  if (match !== undefined && noneMatch !== undefined) {
    return badRequest('If-Match, If-None-Match: one of them')
  }
  if (noneMatch !== undefined) {
    return noneMatch === '*'
      ? { ok: true, value: { only: 'absent' } }
      : badRequest('If-None-Match: only * is understood')
  }
  if (match === undefined) return { ok: true, value: {} }
  if (match === '*') return { ok: true, value: { only: 'present' } }
  const hash = TAG.exec(match)?.[1]
  if (hash === undefined) return badRequest('If-Match: expected one ETag of this server, or *')
  return { ok: true, value: { only: { hash } } }
}

/** No script, no frame, no guess at another type, whatever the bytes are. */
const HARMLESS = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  // A person may be logged out by the time it is looked at again.
  'cache-control': 'private, no-cache',
} as const

function toResponse(c: Context, { file, bytes, isText }: FileContent, inline: boolean): Response {
  const etag = `"${file.hash}"`
  const headers = { ...HARMLESS, etag }
  const known = c.req.header('if-none-match')?.split(',') ?? []
  if (known.some((tag) => TAG.exec(tag.trim())?.[1] === file.hash))
    return new Response(null, { status: 304, headers })
  const name = encodeURIComponent(file.path.split('/').at(-1) ?? '').replaceAll("'", '%27')
  const disposition = inline && isText ? 'inline' : 'attachment'
  return new Response(bytes, {
    headers: {
      ...headers,
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
      'content-disposition': `${disposition}; filename*=UTF-8''${name}`,
    },
  })
}

function answerWrite(
  c: Context,
  result: { ok: true; value: object } | { ok: false; rejection: FileRefusal },
): Response {
  if (result.ok) return Response.json(result.value)
  const { isStale, ...rejection } = result.rejection
  const refusal = refuse(c.req.raw, rejection)
  if (isStale !== true) return refusal
  return new Response(refusal.body, { status: 412, headers: refusal.headers })
}

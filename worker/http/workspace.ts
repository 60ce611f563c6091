// The tree of a session's files as other programs ask for it. Names are snake_case, as there.

import { Hono } from 'hono'
import { z } from 'zod'
import type { FileSummary } from '#protocol/http'
import { isSessionId } from '#protocol/ids'
import type { AppEnv } from './app-env.ts'
import { readQuery } from './body.ts'
import { answer, refuse } from './respond.ts'
import { NO_SESSION, sessionOf, workspaceOf } from './session-stub.ts'

const TreeQuery = z.object({ session_id: z.string() })

type TreeNode =
  | { name: string; path: string; type: 'folder'; children: TreeNode[] }
  | {
      name: string
      path: string
      type: 'file'
      size: number
      hash: string
      modified_at: number | null
    }

export const workspace = new Hono<AppEnv>()

workspace.get('/workspace/tree', async (c) => {
  const query = readQuery<z.infer<typeof TreeQuery>>(c, TreeQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { session_id: sessionId } = query.value
  if (!isSessionId(sessionId)) return refuse(c.req.raw, NO_SESSION)
  const { owner } = c.var.identity
  const session = await workspaceOf(c.env, owner, sessionOf(c.env, sessionId))
  if (!session.ok) return refuse(c.req.raw, session.rejection)
  const list = await session.value.listFiles(owner)
  return answer(c, list, ({ files, bytes, limit }) => ({
    session_id: sessionId,
    tree: toNodes(files),
    total_files: files.length,
    total_bytes: bytes,
    limit_bytes: limit,
  }))
})

function toNodes(files: readonly FileSummary[]): TreeNode[] {
  const top: TreeNode[] = []
  const folders = new Map<string, TreeNode[]>([['', top]])
  const childrenOf = (path: string): TreeNode[] => {
    const known = folders.get(path)
    if (known !== undefined) return known
    const children: TreeNode[] = []
    folders.set(path, children)
    childrenOf(parentOf(path)).push({ name: nameOf(path), path, type: 'folder', children })
    return children
  }
  for (const { path, size, hash, modifiedAt } of files) {
    const node = { name: nameOf(path), path, type: 'file' as const, size, hash }
    childrenOf(parentOf(path)).push({ ...node, modified_at: modifiedAt })
  }
  return top
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

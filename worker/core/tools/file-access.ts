// What the tools for files have in common: a path that was checked, and a file that is there.

import { shorten } from '#protocol/text'
import { toText } from '../workspace/lines.ts'
import { parseFolder, parsePath } from '../workspace/path.ts'
import type { Workspace, WorkspacePath } from '../workspace/workspace.ts'
import { ToolFailure } from './tool.ts'

/** Paths that are named where the one that was asked for is not there. */
const NAMED_PATHS = 3

export function toFilePath(raw: string): WorkspacePath {
  const parsed = parsePath(raw)
  if (!parsed.ok) throw new ToolFailure(parsed.problem, 'tool_invalid_input')
  return parsed.path
}

export function toFolderPath(raw: string): WorkspacePath | null {
  const parsed = parseFolder(raw)
  if (!parsed.ok) throw new ToolFailure(parsed.problem, 'tool_invalid_input')
  return parsed.path
}

/** As the policy and people should read it; what is no path stays as it was said. */
export function toShownPath(raw: string): string {
  const parsed = parsePath(raw)
  return parsed.ok ? parsed.path : shorten(raw.toWellFormed(), 200)
}

export async function readFile(workspace: Workspace, path: WorkspacePath): Promise<Uint8Array> {
  const bytes = await workspace.read(path)
  if (bytes !== null) return bytes
  throw new ToolFailure(describeMissing(workspace, path))
}

export async function readTextFile(workspace: Workspace, path: WorkspacePath): Promise<string> {
  const bytes = await readFile(workspace, path)
  const text = toText(bytes)
  if (text !== null) return text
  throw new ToolFailure(`${path} is not text (${toSize(bytes.length)}) and cannot be edited.`)
}

export function describeMissing(workspace: Workspace, path: WorkspacePath): string {
  const paths = workspace.list().map((entry) => entry.path)
  if (paths.some((other) => other.startsWith(`${path}/`))) {
    return `${path} is a folder. Use list_files to see what is in it.`
  }
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const alike = paths.filter((other) => other.toLowerCase().split('/').at(-1) === name)
  const hint = alike.length > 0 ? ` There is ${alike.slice(0, NAMED_PATHS).join(', ')}.` : ''
  return `There is no file ${path}.${hint}`
}

export function toSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const kib = bytes / 1024
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(1)} MiB`
}

export const counted = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? '' : 's'}`

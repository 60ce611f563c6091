// What is said of files, in few words. Pure.

import type { ChangedFile, FileAction } from '#protocol/file-events'

export const ACTION_WORDS: Record<FileAction, string> = {
  created: 'New',
  modified: 'Changed',
  deleted: 'Deleted',
  renamed: 'Moved',
}

export const countFiles = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`

export const formatSize = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1).replace(/\.0$/, '')} KB`
  return `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MB`
}

export type Counts = Pick<ChangedFile, 'additions' | 'deletions'>

export const sumCounts = (files: readonly Counts[]): Counts => ({
  additions: files.reduce((sum, file) => sum + file.additions, 0),
  deletions: files.reduce((sum, file) => sum + file.deletions, 0),
})

export const splitPath = (path: string): { folder: string; name: string } => {
  const at = path.lastIndexOf('/') + 1
  return { folder: path.slice(0, at), name: path.slice(at) }
}

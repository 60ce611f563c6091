// A saved yes to a command holds in the folder it was said for: `rm -rf *` is another command in
// every folder. The folder stands before the command, `[in tmp] rm -rf *`; without one it is the
// workspace itself.

import type { Folder } from './places.ts'

const IN_FOLDER = /^\[in ([^\]]+)\] ([^]*)$/

/** Such a command could be taken for the folder of another, so none is saved of it. */
export const looksLikeFolder = (command: string): boolean => command.startsWith('[in ')

/** Null: there is no such folder to name. */
export function toCommandPattern(folder: Folder, command: string): string | null {
  if (folder === null || looksLikeFolder(command)) return null
  return folder === '' ? command : `[in ${escapeFolder(folder)}] ${command}`
}

export function parseCommandPattern(pattern: string): { folder: string; pattern: string } {
  const [, folder, command] = IN_FOLDER.exec(pattern) ?? []
  if (folder === undefined || command === undefined) return { folder: '', pattern }
  return { folder: unescapeFolder(folder), pattern: command.trim() }
}

/** A bracket in the name of a folder must not end it. */
const escapeFolder = (folder: string): string =>
  folder.replaceAll('%', '%25').replaceAll(']', '%5D')

const unescapeFolder = (folder: string): string =>
  folder.replaceAll('%5D', ']').replaceAll('%25', '%')

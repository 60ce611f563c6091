// Two paths that cannot be in one workspace: a file where a folder is, and names that differ only
// in their case. A download of such a workspace would lose one of the two on half of all machines.

import type { WorkspacePath } from './workspace.ts'

export type Clash = { kind: 'is_folder' | 'is_file' | 'case'; path: string }

/** By the spelling that ignores case: how it is really spelled, and what it is. */
export class PathIndex {
  private readonly known = new Map<string, { spelling: string; isFile: boolean }>()

  constructor(paths: Iterable<string> = []) {
    for (const path of paths) this.add(path)
  }

  add(path: string): void {
    for (const { spelling, isFile } of stepsOf(path)) {
      this.known.set(fold(spelling), { spelling, isFile })
    }
  }

  /** What stands in the way of `path`; the same path as a file does not. */
  clash(path: string): Clash | null {
    for (const step of stepsOf(path)) {
      const held = this.known.get(fold(step.spelling))
      if (held === undefined) continue
      if (held.spelling !== step.spelling) return { kind: 'case', path: held.spelling }
      if (held.isFile === step.isFile) continue
      return { kind: held.isFile ? 'is_file' : 'is_folder', path: held.spelling }
    }
    return null
  }
}

export const findClash = (path: WorkspacePath, existing: Iterable<string>): Clash | null =>
  new PathIndex(existing).clash(path)

export function describeClash(path: string, clash: Clash): string {
  switch (clash.kind) {
    case 'is_folder':
      return `${path} is a folder. Name a file in it.`
    case 'is_file':
      return `${clash.path} is a file, so ${path} cannot be in it.`
    case 'case':
      return `${path} differs only in upper and lower case from ${clash.path}, which exists. Use that spelling.`
  }
}

/** Each folder on the way, then the file. */
function stepsOf(path: string): { spelling: string; isFile: boolean }[] {
  const names = path.split('/')
  return names.map((_, index) => ({
    spelling: names.slice(0, index + 1).join('/'),
    isFile: index === names.length - 1,
  }))
}

const fold = (path: string): string => path.toLowerCase().normalize('NFC')

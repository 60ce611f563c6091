// Where a command would write. Nothing is looked up: a path is judged by its text and the folders
// the command could be in. What a path means begins at the workspace, wherever the command does:
// `workflows/ci.yml` within `.github` is as sensitive as `.github/workflows/ci.yml`.

import { WORKSPACE_ROOT } from '../workspace/path.ts'
import type { Rule } from './action.ts'
import { changes, destroys, risky, type Finding } from './finding.ts'
import type { FindDenied } from './rules.ts'
import type { IsSensitive } from './sensitive.ts'
import type { Word } from './shell-words.ts'

/** `move`: it stays as it is, with all that lies below it, but not here. */
export type Change = 'write' | 'overwrite' | 'delete' | 'move'

/** Each `cd` doubles the folders a relative path can mean. */
const FOLDERS = 16

const HARMLESS = /^\/dev\/(?:null|zero|stdout|stderr|stdin|tty|full|fd\/\d+)$/
const DEVICE = /^\/(?:dev|proc|sys)(?:\/|$)/
const SCRATCH = /^\/tmp\/./

/** Relative to the workspace, which is "" itself; absolute outside of it; null: nowhere. */
export type Folder = string | null

/** What a command was seen to change. `isTree`: and anything below it. */
export type Judged = { path: string; change: Change; isTree: boolean }

export class Places {
  /** Of a saved rule: the folder that the command was started in. */
  readonly folder: Folder
  /** The first rule that denies changing a file which the command names. */
  deniedBy: Rule | undefined
  /** What of the workspace the command names as changed: the rest is seen when it has run. */
  readonly judged: Judged[] = []
  private readonly start: string
  private folders: readonly string[]
  /** After `cd` to somewhere unknown a relative path can be anywhere. */
  private isLost = false
  private readonly isSensitive: IsSensitive
  private readonly findDenied: FindDenied

  constructor(cwd: string, isSensitive: IsSensitive, findDenied: FindDenied = () => undefined) {
    const start = toAbsolute(WORKSPACE_ROOT, cwd)
    this.start = start ?? '/'
    this.folder = start === null ? null : (toInside(start) ?? start)
    this.folders = [this.start]
    this.isLost = !isInside(this.start)
    this.isSensitive = isSensitive
    this.findDenied = findDenied
  }

  get hasMoved(): boolean {
    return this.isLost || this.folders.length > 1
  }

  /** The command changes its folder: from here on relative paths can mean one more. */
  enter(word: Word | undefined): void {
    if (word === undefined || !word.isKnown || word.isGlob || word.isHome || word.text === '-') {
      this.isLost = true
      return
    }
    const entered = this.folders.map((folder) => toAbsolute(folder, word.text))
    if (entered.some((folder) => folder === null || !isInside(folder))) this.isLost = true
    const known = entered.filter((folder) => folder !== null)
    this.folders = [...new Set([...this.folders, ...known])]
    if (this.folders.length > FOLDERS) {
      this.folders = this.folders.slice(0, FOLDERS)
      this.isLost = true
    }
  }

  /** Null: nothing that lasts. */
  change(word: Word, change: Change): Finding | null {
    if (!word.isKnown) {
      if (change === 'delete') return destroys('deletes files that are not known beforehand')
      return risky('writes to a file that is not known beforehand')
    }
    const paths = this.resolve(word)
    this.note(word, change)
    if (!word.isGlob) this.deniedBy ??= this.denies(paths, change)
    const isTree = change === 'move' || change === 'delete'
    if (paths.every((path) => path !== null && HARMLESS.test(path))) return null
    if (paths.some((path) => path !== null && DEVICE.test(path))) {
      return paths.some((path) => path?.startsWith('/dev/tcp') || path?.startsWith('/dev/udp'))
        ? risky('sends to the network')
        : destroys('writes to a device')
    }
    const isAway = word.isHome || paths.some((path) => path === null || !isInside(path))
    if (paths.some((path) => path !== null && this.isProtected(path, isTree))) {
      if (change === 'delete') return destroys('deletes a sensitive file')
      if (change === 'overwrite') return destroys('overwrites a sensitive file')
      return risky('changes a sensitive file')
    }
    if (change === 'delete') {
      if (isAway) return destroys('deletes outside the workspace')
      return word.isGlob ? destroys('deletes every file that fits') : changes('deletes a file')
    }
    if (isAway) return risky('writes outside the workspace')
    // Which files fit is seen when it runs, and a sensitive one can be among them.
    return word.isGlob ? risky('changes every file that fits') : changes('writes a file')
  }

  /** Only to be read. A connection is one all the same, and its name says something. */
  open({ text }: Word): Finding | null {
    return /^\/+dev\/+(?:tcp|udp)(?:\/|$)/.test(text) ? risky('reaches the network') : null
  }

  /** The whole workspace, everything, or somebody's home. */
  isWhole(word: Word): boolean {
    if (!word.isKnown || word.isHome) return true
    if (/^(?:\.?\/)*\.?\*+\/?$/.test(word.text)) return true
    return this.resolve(word).some((path) => {
      if (path === null) return false
      return [WORKSPACE_ROOT, this.start].some((whole) => isAtOrBelow(whole, path))
    })
  }

  /** After `cd`, programs can find other scripts and settings than those of the workspace. */
  get isElsewhere(): boolean {
    return this.isLost
  }

  /** The file is sensitive, or a saved rule denies changing it: nothing but a look, so far. */
  isGuarded(word: Word): boolean {
    const paths = this.absolute(word)
    if (paths.some((path) => path !== null && this.isProtected(path))) return true
    return this.denies(paths, 'delete') !== undefined
  }

  /** In or to a folder that nobody keeps: a file that is moved there is deleted. */
  isScratch(word: Word): boolean {
    return this.resolve(word).some((path) => path !== null && isAtOrBelow(path, '/tmp'))
  }

  isOutside(word: Word): boolean {
    if (!word.isKnown || word.isHome) return true
    return this.resolve(word).some((path) => path === null || !isInside(path))
  }

  private resolve(word: Word): (string | null)[] {
    if (this.isLost && !word.text.startsWith('/')) return [null, ...this.absolute(word)]
    return this.absolute(word)
  }

  private note(word: Word, change: Change): void {
    const isTree = word.isGlob
    const text = isTree ? toGlobFolder(word.text) : word.text
    for (const folder of this.folders) {
      const path = toAbsolute(folder, text)
      const inside = path === null ? null : toInside(path)
      if (inside !== null) this.judged.push({ path: inside.normalize('NFC'), change, isTree })
    }
  }

  private absolute(word: Word): (string | null)[] {
    return this.folders.map((folder) => toAbsolute(folder, word.text))
  }

  /** Outside the workspace the way there counts too: nothing of it is known. */
  private isProtected(path: string, isTree = false): boolean {
    const inside = toInside(path)
    if (this.isSensitive(inside ?? path)) return true
    return isTree && inside !== null && this.isSensitive.leadsTo(inside)
  }

  private denies(paths: readonly (string | null)[], change: Change): Rule | undefined {
    const isDelete = change === 'delete' || change === 'move'
    for (const path of paths) {
      const inside = path === null ? null : toInside(path)
      const rule =
        inside === null ? undefined : this.findDenied(inside.normalize('NFC'), isDelete, isDelete)
      if (rule !== undefined) return rule
    }
    return undefined
  }
}

/** What stands before the first name that is not one name. */
function toGlobFolder(text: string): string {
  const at = text.search(/[*?[{(]/)
  const plain = at < 0 ? text : text.slice(0, at)
  return plain.slice(0, plain.lastIndexOf('/') + 1)
}

const isAtOrBelow = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`)

/** Relative to the workspace, which is "" itself; null: not in it. */
const toInside = (path: string): string | null =>
  isAtOrBelow(path, WORKSPACE_ROOT) ? path.slice(WORKSPACE_ROOT.length + 1) : null

const isInside = (path: string): boolean => SCRATCH.test(path) || isAtOrBelow(path, WORKSPACE_ROOT)

/** Null: above the root, or nothing a path can be. */
function toAbsolute(folder: string, path: string): string | null {
  const names: string[] = []
  const whole = path.startsWith('/') ? path : `${folder}/${path}`
  for (const name of whole.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.pop() === undefined) return null
  }
  return `/${names.join('/')}`
}

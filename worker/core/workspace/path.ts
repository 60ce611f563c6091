// Which paths there are. Every path from outside, a model, a person, an archive, passes here
// first, so that nothing below has to ask whether it leads out of the workspace.

import { PATH_BYTES } from '#protocol/limits'
import { shorten, utf8Bytes } from '#protocol/text'
import type { WorkspacePath } from './workspace.ts'

export type ParsedPath = { ok: true; path: WorkspacePath } | { ok: false; problem: string }

/** The root as the shell sees it. */
export const WORKSPACE_ROOT = '/workspace'
/** What the file systems take that a download ends up on. */
const NAME_BYTES = 255
const DEPTH = 32
/** A message repeats no more of a path than what shows which one is meant. */
const SHOWN_CHARS = 120

/**
 * Characters that are not seen, or that turn the ones around them: a name made of them looks like
 * another. `\p{Cf}` has the marks of direction, those without width and the invisible alphabet.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u
/** Windows opens a device for these, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const DRIVE = /^[a-z]:/i

/** The path of a file, relative to the workspace. */
export function parsePath(raw: string): ParsedPath {
  const parsed = parseNames(raw)
  if (!parsed.ok) return parsed
  if (parsed.names.length === 0) {
    return refuse(raw, 'names the workspace itself, not a file in it')
  }
  if (/(?:^|\/)\.{0,2}$/.test(raw)) return refuse(raw, 'names a folder, not a file')
  return { ok: true, path: parsed.names.join('/') as WorkspacePath }
}

/** The path of a folder; null: the workspace itself, which also has the names "", "." and "/". */
export function parseFolder(
  raw: string,
): { ok: true; path: WorkspacePath | null } | { ok: false; problem: string } {
  if (raw === '' || raw === '/') return { ok: true, path: null }
  const parsed = parseNames(raw)
  if (!parsed.ok) return parsed
  const path = parsed.names.join('/') as WorkspacePath
  return { ok: true, path: path === '' ? null : path }
}

export const isInFolder = (path: string, folder: string | null): boolean =>
  folder === null || path.startsWith(`${folder}/`)

type ParsedNames = { ok: true; names: string[] } | { ok: false; problem: string }

function parseNames(raw: string): ParsedNames {
  if (raw === '') return { ok: false, problem: 'The path is empty. Name a file, such as notes.md.' }
  // Before any work on it: what is longer than this cannot become short enough.
  if (raw.length > PATH_BYTES * 4) return refuse(raw, `is longer than ${PATH_BYTES} bytes`)
  const problem = findRawProblem(raw)
  if (problem !== null) return refuse(raw, problem)
  const normal = raw.normalize('NFC')
  const isAbsolute = normal === WORKSPACE_ROOT || normal.startsWith(`${WORKSPACE_ROOT}/`)
  if (normal.startsWith('/') && !isAbsolute) return refuse(raw, OUTSIDE)
  const names: string[] = []
  const given = (isAbsolute ? normal.slice(WORKSPACE_ROOT.length) : normal).split('/')
  for (const name of given) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (names.pop() === undefined) return refuse(raw, OUTSIDE)
      continue
    }
    const wrong = findNameProblem(name)
    if (wrong !== null) return refuse(raw, wrong)
    names.push(name)
  }
  if (names.length > DEPTH) return refuse(raw, `is more than ${DEPTH} folders deep`)
  if (utf8Bytes(names.join('/')) > PATH_BYTES) {
    return refuse(raw, `is longer than ${PATH_BYTES} bytes`)
  }
  return { ok: true, names }
}

const OUTSIDE =
  'leads out of the workspace. Use a path relative to it, such as src/main.ts, or one under ' +
  `${WORKSPACE_ROOT}/`

function findRawProblem(raw: string): string | null {
  if (!raw.isWellFormed()) return 'is not valid Unicode'
  if (UNSEEN.test(raw)) return 'contains a control character or one that cannot be seen'
  if (raw.includes('\\')) return 'contains a backslash. Put / between the names'
  if (SCHEME.test(raw)) return 'is an address, not a path in the workspace'
  if (DRIVE.test(raw)) return 'names a drive. Use a path relative to the workspace'
  if (raw === '~' || raw.startsWith('~/')) {
    return 'begins in a home folder, and there is none. Use a path relative to the workspace'
  }
  return null
}

function findNameProblem(name: string): string | null {
  const shown = toShown(name)
  if (utf8Bytes(name) > NAME_BYTES) return `has a name of more than ${NAME_BYTES} bytes: ${shown}`
  if (isDisguised(name)) return `has a name that reads as another path when decoded: ${shown}`
  if (/[. ]$/.test(name)) return `has a name that ends in a dot or a space: ${shown}`
  if (DEVICE.test(name)) return `has a name that Windows reserves for a device: ${shown}`
  // A key that a plain object does not hold.
  return name === '__proto__' ? `has a reserved name: ${shown}` : null
}

/** Nothing here decodes; what a path is handed to may, more than once. */
const ENCODED: readonly (readonly [RegExp, string])[] = [
  [/%25/g, '%'],
  [/%(?:2e|c0%ae)/gi, '.'],
  [/%(?:2f|c0%af)/gi, '/'],
  [/%(?:5c|c1%9c)/gi, '\\'],
  [/%(?:00|c0%80)/gi, '\0'],
]

function isDisguised(name: string): boolean {
  let decoded = name
  for (let before = ''; before !== decoded;) {
    before = decoded
    for (const [pattern, character] of ENCODED) decoded = decoded.replace(pattern, character)
  }
  // Full-width and one-dot look-alikes become the real ones in this form.
  return [decoded, name.normalize('NFKC')].some((form) => /^\.{1,2}$|[/\\\0]/.test(form))
}

/** Quoted, so that what is shown cannot run into the sentence. */
const toShown = (text: string): string =>
  JSON.stringify(
    shorten(text.toWellFormed(), SHOWN_CHARS).replace(new RegExp(UNSEEN.source, 'gu'), '\ufffd'),
  ) + (text.length > SHOWN_CHARS ? '…' : '')

const refuse = (raw: string, problem: string): { ok: false; problem: string } => ({
  ok: false,
  problem: `The path ${toShown(raw)} ${problem}.`,
})

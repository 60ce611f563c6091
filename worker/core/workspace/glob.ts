// Patterns for paths as a model or a person gives them: one that means nothing is an error, since
// "no file" would be read as an answer.

import { toGlob } from '../policy/glob.ts'
import { shorten } from '#protocol/text'

/** Each character is compared with each of every path. */
const GLOB_CHARS = 120

export type ParsedGlob =
  | { ok: true; matches: (path: string) => boolean }
  | { ok: false; problem: string }

/** Without a slash it is matched against the name alone, wherever the file is. */
export function parseGlob(raw: string): ParsedGlob {
  const glob = raw.replace(/^(?:\.?\/)+/, '')
  const problem = findProblem(glob)
  if (problem !== null) {
    const shown = JSON.stringify(shorten(raw, GLOB_CHARS))
    return { ok: false, problem: `The glob ${shown} ${problem}. An example: src/**/*.{ts,tsx}.` }
  }
  return { ok: true, matches: toGlob(glob.includes('/') ? glob : `**/${glob}`) }
}

function findProblem(glob: string): string | null {
  if (glob === '') return 'is empty'
  if (glob.length > GLOB_CHARS) return `is longer than ${GLOB_CHARS} characters`
  if (glob.startsWith('!')) return 'begins with "!"; only what is wanted can be said'
  const plain = glob.replace(/\\./g, '')
  if (plain.endsWith('\\')) return 'ends in a backslash'
  if (/\[(?!.[^/]*\])/.test(plain)) return 'has a bracket that is not closed'
  return plain.split('{').length === plain.split('}').length
    ? null
    : 'has a brace that is not closed'
}

// The parts of a command that each need a yes.

import type { Finding } from './finding.ts'
import type { Word } from './shell-words.ts'

/** One simple command, or (without words) one redirection, assignment or part not understood. */
export type Unit = {
  argv: readonly Word[]
  findings: Finding[]
  shown: string
  /** The command it stands in, and where in its words: `npm` in `timeout 9 npm test` is at 2. */
  outer?: { unit: Unit; offset: number }
}

/** A part without words of its own. */
export const note = (finding: Finding, shown: string): Unit => ({
  argv: [],
  findings: [finding],
  shown,
})

// How a command is written: what in it deceives the eye, and writing it again.

import { risky, type Finding } from './finding.ts'
import { isListed } from './judge.ts'
import { findLookAlike, hasOddDash } from './look-alikes.ts'
import { UNKNOWN_TEXT, type Word } from './shell-words.ts'

export function judgeSpelling([name, ...args]: readonly Word[]): Finding[] {
  const findings: Finding[] = []
  const lookAlike = name === undefined ? null : findLookAlike(name.text)
  if (lookAlike !== null) {
    const { char, seems } = lookAlike
    const twin = isListed(seems) ? `looks like ${seems} but is not: its name` : 'has a name that'
    findings.push(risky(`${twin} contains the look-alike character ${char}`))
  }
  if (args.some(({ text }) => hasOddDash(text))) {
    findings.push(risky('has an argument that begins with a look-alike of the hyphen'))
  }
  return findings
}

export function toLine(argv: readonly Word[]): string {
  // No card shows more, and a chain of wrappers would write its words again at every link.
  return argv
    .slice(0, 40)
    .map(({ text }) => text.replaceAll(UNKNOWN_TEXT, '$…'))
    .join(' ')
}

/** Shell text again: what was known stays known, what was not does not become it. */
export function toText(start: string, args: readonly Word[]): string {
  const words = args.map(({ text, isKnown, isGlob, isHome }) => {
    if (!isKnown) return UNKNOWN_TEXT
    return isGlob || isHome ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
  })
  return [start, ...words].join(' ')
}

// Where three versions of a text do not agree, by their lines. Pure. The middle one is the agent's:
// it is compared with what it began from, and with what somebody has made of it since.

import { diffArrays } from 'diff'
import { toLines } from './diff-rows.ts'

/** Lines by their number from 0. */
export type Marks = ReadonlySet<number>

/** `taken`: out of the version before. `put`: into the agent's. `since`: into what is there now. */
export type Differences = { taken: Marks; put: Marks; since: Marks }

type Text = string | null

const NONE: Marks = new Set()
/** More than these read as another text, and take the square of them to find. */
const EDITS = 1000

/** A version that is not there, or is no text, is compared with nothing. */
export function toDifferences(before: Text, agent: Text, current: Text): Differences {
  const agents = compare(before, agent)
  return { taken: agents.gone, put: agents.come, since: compare(agent, current).come }
}

function compare(from: Text, to: Text): { gone: Marks; come: Marks } {
  if (from === null || to === null) return { gone: NONE, come: NONE }
  const changes = diffArrays(toLines(from), toLines(to), { maxEditLength: EDITS })
  if (changes === undefined) return { gone: NONE, come: NONE }
  const gone = new Set<number>()
  const come = new Set<number>()
  let fromAt = 0
  let toAt = 0
  for (const { added, removed, count } of changes) {
    for (let i = 0; i < count; i++) {
      if (removed) gone.add(fromAt + i)
      if (added) come.add(toAt + i)
    }
    if (!added) fromAt += count
    if (!removed) toAt += count
  }
  return { gone, come }
}

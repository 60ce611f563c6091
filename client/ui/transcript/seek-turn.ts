// A link to an event opens the session at the turn that holds it, however far back that is.

import type { Turn } from '#protocol/turns'
import { handle, hasOlder, turns } from '../state/session.ts'

const MARK_MS = 2_000

const seqOf = (turn: Turn): number => (turn.kind === 'notice' ? turn.notice.seq : turn.seq)

/** Two frames: in the first, what was loaded is laid out and the place on the page is kept. */
const nextLayout = (): Promise<unknown> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))

async function holdUpTo(seq: number): Promise<void> {
  const session = handle.peek()
  const first = turns.peek()[0]
  if (session === null || first === undefined || seqOf(first) <= seq || !hasOlder.peek()) return
  await session.loadOlder()
  // A page that brought nothing will not bring more: better the oldest turn than no end.
  if (turns.peek()[0] !== first && handle.peek() === session) await holdUpTo(seq)
}

export async function seekTurn(root: HTMLElement, seq: number): Promise<void> {
  await holdUpTo(seq).catch(() => undefined)
  await nextLayout()
  const held = turns.peek()
  const turn = held.findLast((candidate) => seqOf(candidate) <= seq) ?? held[0]
  const element = turn && root.querySelector(`[data-turn="${seqOf(turn)}"]`)
  if (!element) return
  element.scrollIntoView({ block: 'center' })
  element.classList.add('sought')
  setTimeout(() => element.classList.remove('sought'), MARK_MS)
}

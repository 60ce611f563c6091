// How the demo model goes on from an answer that broke off, without saying any of it again.

import { text, type DemoStep } from './demo-scene.ts'

export const RESUMPTION = 'I was interrupted, so here is the answer again from its start.\n\n'
export const NOTHING_LEFT = 'There is nothing left to add: the answer above was complete.'

/** Shorter words than these could be anywhere in a script. */
const MIN_FOUND_CHARS = 20
/** The last words, as many as a model says again when it goes on from another's. */
const LAST_WORDS = /(?:\S+\s*){1,4}$/

/** What counts of the words so far: those of the latest beginning, and none about going on. */
export function toSaid(words: string): string {
  const begun = words.lastIndexOf(RESUMPTION)
  const own = begun < 0 ? words : words.slice(begun + RESUMPTION.length)
  return own.replaceAll(NOTHING_LEFT, '')
}

/** The steps without what was said already. `seam`: say the last words again at this place. */
export function resume(
  steps: readonly DemoStep[],
  said: string,
  seam?: string,
): readonly DemoStep[] {
  const whole = steps.map((step) => (step.type === 'text' ? step.text : '')).join('')
  let left = findPlace(whole, said)
  // Another model's words, or an older script's: there is no place to go on from.
  if (left < 0) return [text(RESUMPTION), ...steps]
  const rest: DemoStep[] = []
  for (const step of steps) {
    if (step.type === 'thinking') continue
    if (step.type !== 'text') {
      rest.push(step)
      continue
    }
    const cut = Math.min(left, step.text.length)
    left -= cut
    if (cut < step.text.length) rest.push({ ...step, text: step.text.slice(cut) })
  }
  if (rest.length === 0) return [text(NOTHING_LEFT)]
  const isAtSeam = seam !== undefined && said.trimEnd().endsWith(seam.trimEnd())
  if (isAtSeam && rest[0]!.type === 'text') rest.unshift(text(LAST_WORDS.exec(said)?.[0] ?? ''))
  return rest
}

/** How much of `whole` was said; -1: this is not where the words are from. */
function findPlace(whole: string, said: string): number {
  if (whole.startsWith(said)) return said.length
  const place = findLoosely(whole, said)
  if (place >= 0 || said.trim().length < MIN_FOUND_CHARS) return place
  // The start may have become part of a summary.
  const start = whole.indexOf(said)
  return start < 0 ? -1 : start + said.length
}

/** A history keeps no white space that stood alone, so white space proves nothing. */
function findLoosely(whole: string, said: string): number {
  const letters = said.replaceAll(/\s+/g, '')
  let at = 0
  for (const letter of letters) {
    while (/\s/.test(whole[at] ?? '')) at++
    if (!whole.startsWith(letter, at)) return -1
    at += letter.length
  }
  if (/\s$/.test(said)) while (/\s/.test(whole[at] ?? '')) at++
  return at
}

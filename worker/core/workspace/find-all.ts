// Finding one sequence in another in linear time: `indexOf` takes minutes for a text that was made
// to be slow, and a text may come from anyone.

type Sequence = { length: number; at: (index: number) => number }

/** Below this many comparisons the engine's own search cannot be made slow. */
const QUICK_STEPS = 50_000_000

/** Where `needle` begins in `text`, without overlaps; at most `limit` places. */
export function findAll(text: string, needle: string, limit = Infinity): number[] {
  if (needle === '') return []
  if (text.length * needle.length > QUICK_STEPS) {
    return findLinear(ofString(text), ofString(needle), limit, false)
  }
  const found: number[] = []
  for (let at = text.indexOf(needle); at !== -1 && found.length < limit;) {
    found.push(at)
    at = text.indexOf(needle, at + needle.length)
  }
  return found
}

/** Where the numbers `needle` begin in `numbers`, overlaps included; at most `limit` places. */
export const findRuns = (
  numbers: readonly number[],
  needle: readonly number[],
  limit = Infinity,
): number[] =>
  needle.length === 0 ? [] : findLinear(ofNumbers(numbers), ofNumbers(needle), limit, true)

const ofString = (text: string): Sequence => ({
  length: text.length,
  at: (index) => text.charCodeAt(index),
})
const ofNumbers = (numbers: readonly number[]): Sequence => ({
  length: numbers.length,
  at: (index) => numbers[index]!,
})

/** Knuth, Morris, Pratt. */
function findLinear(text: Sequence, needle: Sequence, limit: number, overlaps: boolean): number[] {
  const back = new Int32Array(needle.length)
  for (let i = 1, length = 0; i < needle.length; i++) {
    while (length > 0 && needle.at(i) !== needle.at(length)) length = back[length - 1]!
    if (needle.at(i) === needle.at(length)) length++
    back[i] = length
  }
  const found: number[] = []
  for (let i = 0, matched = 0; i < text.length && found.length < limit; i++) {
    const unit = text.at(i)
    while (matched > 0 && unit !== needle.at(matched)) matched = back[matched - 1]!
    if (unit === needle.at(matched)) matched++
    if (matched < needle.length) continue
    found.push(i + 1 - needle.length)
    matched = overlaps ? back[matched - 1]! : 0
  }
  return found
}

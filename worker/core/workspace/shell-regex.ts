// How costly a text is as a regular expression. The engine of the shell takes time in proportion to
// the expression, so `(a?){1000}` on a small file holds the object for minutes: there is no
// backtracking to guard against, but a product.

/** A counted repetition, as `{3}`, `{3,}`, `{3,9}`, `{,9}` or with backslashes. */
const COUNTED = /\\?\{(\d{0,6})(,?)(\d{0,6})\\?\}/y
const QUANTIFIERS = '?*+|'
/** A long expression without any quantifier costs little per byte; it has to be compiled, though. */
const CHARS_PER_UNIT = 32
/** How far into a line an expression has to be for another of its repetitions to cost a unit. */
const LINE_CHARS_PER_UNIT = 16

/**
 * What a byte that goes through it costs, in units of a budget. `perLine`: repetitions of single
 * characters, as in `.{120}`, of which only those count that the length of a line allows.
 */
export type RegexWeight = { fixed: number; perLine: number }

export function toRegexWeight(text: string): RegexWeight {
  const { groups, characters, quantifiers } = measure(text)
  const fixed = groups / 2 + quantifiers / 2 + text.length / CHARS_PER_UNIT
  return { fixed, perLine: characters / 2 }
}

export function toUnits({ fixed, perLine }: RegexWeight, longestLine: number): number {
  return fixed + Math.min(perLine, longestLine / LINE_CHARS_PER_UNIT)
}

/** How much longer it is with repetitions written out, of groups and of characters. */
function measure(text: string): { groups: number; characters: number; quantifiers: number } {
  const outer: number[] = []
  let size = 0
  let atom = 0
  const found = { groups: 0, characters: 0, quantifiers: 0 }
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]!
    COUNTED.lastIndex = at
    const counted = unit === '{' || unit === '\\' ? COUNTED.exec(text) : null
    if (counted !== null && (counted[1] !== '' || counted[3] !== '')) {
      const times = Math.max(1, Number(counted[1]), Number(counted[3]))
      const growth = atom * (times - 1)
      if (atom > 1) found.groups += growth
      else found.characters += growth
      size += growth
      atom *= times
      at += counted[0].length - 1
    } else if (unit === '(') {
      outer.push(size)
      size = 0
      atom = 1
    } else if (unit === ')') {
      // Never taken for a character: it may match nothing, and then every repetition is alive.
      atom = size + 2
      size += outer.pop() ?? 0
    } else {
      if (QUANTIFIERS.includes(unit)) found.quantifiers++
      else atom = 1
      size++
    }
  }
  return found
}

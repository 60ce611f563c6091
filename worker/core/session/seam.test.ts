import { describe, expect, test } from 'vitest'
import { RandomSource } from '../../testing/random-source.ts'
import { SeamCutter } from './seam.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const MIN_REPEATED = 5

/** No run of five characters comes twice, so there is only one place where a text can overlap. */
function distinctText(random: RandomSource, length: number, alphabet: string): string {
  const seen = new Set<string>()
  let text = ''
  while (text.length < length) {
    const next = text + random.pick(Array.from(alphabet))
    const gram = next.slice(-MIN_REPEATED)
    if (gram.length === MIN_REPEATED && seen.has(gram)) continue
    seen.add(gram)
    text = next
  }
  return text
}

function chunks(random: RandomSource, text: string): string[] {
  const cut: string[] = []
  for (let at = 0; at < text.length;) {
    const size = 1 + random.below(random.chance(0.2) ? 80 : 9)
    cut.push(text.slice(at, at + size))
    at += size
  }
  return cut
}

function read(before: string, parts: readonly string[]): { shown: string; late: string } {
  const seam = new SeamCutter(before)
  const shown = parts.map((part) => seam.push(part)).join('') + seam.end()
  return { shown, late: seam.end() }
}

const seeds = Array.from({ length: 40 }, (_, index) => index + 1)

describe('[RUN7] the seam between what broke off and what goes on', () => {
  test('what is said again, from any position and in chunks of any size, is there once', () => {
    for (const seed of seeds) {
      const random = new RandomSource(seed)
      const whole = distinctText(random, 120, `${LETTERS} .\n漢字é`)
      for (let at = MIN_REPEATED; at <= whole.length; at++) {
        const repeated = MIN_REPEATED + random.below(at - MIN_REPEATED + 1)
        const before = whole.slice(0, at)
        const { shown } = read(before, chunks(random, whole.slice(at - repeated)))
        expect(before + shown, `seed ${seed}, cut at ${at}, ${repeated} again`).toBe(whole)
      }
    }
  })

  test('the chunks make no difference: one by one, or all at once', () => {
    for (const seed of seeds) {
      const random = new RandomSource(seed)
      const before = distinctText(random, 60, `${LETTERS} `)
      const next = before.slice(-random.below(30)) + distinctText(random, 60, `${LETTERS} `)
      const { shown } = read(before, [next])
      expect(read(before, Array.from(next)).shown, `seed ${seed}`).toBe(shown)
      expect(read(before, chunks(random, next)).shown, `seed ${seed}`).toBe(shown)
    }
  })

  test('what repeats nothing is never cut', () => {
    for (const seed of seeds) {
      const random = new RandomSource(seed)
      const before = distinctText(random, 1 + random.below(200), 'abcdefghi ')
      const next = distinctText(random, 1 + random.below(200), 'qrstuvwxyz')
      expect(read(before, chunks(random, next)).shown, `seed ${seed}`).toBe(next)
    }
  })

  test('nothing is held when it is over, also where all of it could be repetition', () => {
    for (const seed of seeds) {
      const random = new RandomSource(seed)
      const before = distinctText(random, 80, `${LETTERS} `)
      const from = random.below(60)
      // From the middle, so that it never reaches the end of what was said.
      const next = before.slice(from, from + 1 + random.below(79 - from))
      const { shown, late } = read(before, chunks(random, next))
      const isRepeated = before.endsWith(next)
      expect(shown, `seed ${seed}`).toBe(isRepeated ? '' : next)
      expect(late).toBe('')
    }
  })

  test('after the end everything goes through at once', () => {
    const seam = new SeamCutter('The quick brown fox')
    expect(seam.push('brown fox')).toBe('')
    expect(seam.end()).toBe('')
    expect(seam.push('brown fox')).toBe('brown fox')
    expect(seam.end()).toBe('')
  })

  test('only the seam is cut: the same words further on stay', () => {
    const before = 'One fine day the fox jumps over'
    const { shown } = read(before, ['jumps over', ' the dog, and then it jumps over', ' the dog'])
    expect(before + shown).toBe(
      'One fine day the fox jumps over the dog, and then it jumps over the dog',
    )
  })

  test('words from the middle of what was said are no repetition of its end', () => {
    const before = 'We begin here, and we stop there.'
    expect(read(before, ['We begin', ' here again.']).shown).toBe('We begin here again.')
  })

  test('a whole answer said again is cut, and what follows it stays', () => {
    const before = 'First, open the box. Then take'
    expect(read(before, Array.from(`${before} the key.`)).shown).toBe(' the key.')
  })

  test('a chance letter is not cut; a word that was begun again is', () => {
    expect(read('It was a', ['apple']).shown).toBe('apple')
    expect(read('the colour is blue', ['elephant']).shown).toBe('elephant')
    expect(read('we leave to', ['tomorrow']).shown).toBe('morrow')
  })

  test('with nothing before it, every word goes through as it comes', () => {
    const seam = new SeamCutter('')
    expect(seam.push('any')).toBe('any')
    expect(seam.push('thing')).toBe('thing')
    expect(seam.end()).toBe('')
  })

  test('a very long text before it is looked at from its end only', () => {
    const random = new RandomSource(7)
    const before = distinctText(random, 40_000, LETTERS)
    const next = 'and so it ends'
    expect(read(before, chunks(random, before.slice(-10_000) + next)).shown).toBe(next)
  })
})

import { describe, expect, test } from 'vitest'
import { RandomSource } from '../testing/random-source.ts'
import { cutPoint, jsonBytes, shorten, spliceAt, truncateUtf8, utf8Bytes } from './text.ts'

const SAMPLES = [
  '',
  'plain',
  'é',
  'ß€',
  '漢字',
  '😀',
  'a😀é漢',
  '\u0000\t\n"\\/',
  '👩‍👩‍👧‍👦',
  '\u07ff\u0800\uffff',
]

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Text of every width, for counts that must agree with the platform's. */
function randomText(random: RandomSource): string {
  const units = ['a', '"', '\\', '\n', '\u0001', 'é', '€', '漢', '😀', '\u{10ffff}']
  return Array.from({ length: random.below(30) }, () => random.pick(units)).join('')
}

describe('sizes', () => {
  test.each(SAMPLES)('[SAF2] utf8Bytes of %j is what an encoder makes of it', (text) => {
    expect(utf8Bytes(text)).toBe(bytesOf(text))
  })

  test('[SAF2] utf8Bytes agrees with an encoder on any text', () => {
    const random = new RandomSource(1)
    for (let i = 0; i < 500; i++) {
      const text = randomText(random)
      expect(utf8Bytes(text), JSON.stringify(text)).toBe(bytesOf(text))
    }
  })

  test('[SAF2] jsonBytes is at least the size inside a JSON string, escapes counted', () => {
    const random = new RandomSource(2)
    for (const text of [...SAMPLES, ...Array.from({ length: 500 }, () => randomText(random))]) {
      const real = bytesOf(JSON.stringify(text)) - 2
      expect(jsonBytes(text), JSON.stringify(text)).toBeGreaterThanOrEqual(real)
    }
    expect(jsonBytes('\u0001')).toBe(6)
    expect(jsonBytes('a"b\\')).toBe(6)
  })
})

describe('cuts', () => {
  test('[RUN2] cutPoint steps back from the middle of a pair and nowhere else', () => {
    expect([0, 1, 2, 3, 4].map((end) => cutPoint('a😀b', end))).toEqual([0, 1, 1, 3, 4])
    expect(cutPoint('a\ud83d', 2)).toBe(1)
  })

  test('[SES1] shorten cuts to length, never through a pair', () => {
    expect(shorten('abc', 3)).toBe('abc')
    expect(shorten('abcd', 3)).toBe('abc')
    expect(shorten('ab😀', 3)).toBe('ab')
    expect(shorten('ab😀', 4)).toBe('ab😀')
  })

  test('[TOOL1] truncateUtf8 keeps what fits, whole characters only, and says so', () => {
    expect(truncateUtf8('abc', 3)).toEqual({ text: 'abc', truncated: false })
    expect(truncateUtf8('abcd', 3)).toEqual({ text: 'abc', truncated: true })
    expect(truncateUtf8('aé', 2)).toEqual({ text: 'a', truncated: true })
    expect(truncateUtf8('😀😀', 7)).toEqual({ text: '😀', truncated: true })
    expect(truncateUtf8('😀', 3)).toEqual({ text: '', truncated: true })
    expect(truncateUtf8('a', 0)).toEqual({ text: '', truncated: true })
    expect(truncateUtf8('', 0)).toEqual({ text: '', truncated: false })
  })

  test('[TOOL1] truncateUtf8 is the longest whole prefix that fits, for any text and size', () => {
    const random = new RandomSource(3)
    for (let i = 0; i < 500; i++) {
      const text = randomText(random)
      const bytes = random.below(60)
      const cut = truncateUtf8(text, bytes)
      let longest = ''
      for (const character of text) {
        if (bytesOf(longest + character) > bytes) break
        longest += character
      }
      expect(cut, JSON.stringify({ text, bytes })).toEqual({
        text: longest,
        truncated: longest !== text,
      })
    }
  })
})

describe('spliceAt', () => {
  test('[RUN2] appends at the end, replaces from the middle, starts over at 0', () => {
    expect(spliceAt('abc', 3, 'def')).toBe('abcdef')
    expect(spliceAt('abcdef', 2, 'X')).toBe('abX')
    expect(spliceAt('abc', 0, 'xyz')).toBe('xyz')
    expect(spliceAt('', 0, 'a')).toBe('a')
  })
})

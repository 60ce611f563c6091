import { describe, expect, test } from 'vitest'
import { cutRange, formatRange, nameWithRange, parseRange } from './range.ts'

describe('line ranges', () => {
  test('[FILE5] a range is two numbers, one, or nothing', () => {
    expect(parseRange('10-20')).toEqual({ from: 10, to: 20 })
    expect(parseRange(' 10 – 20 ')).toEqual({ from: 10, to: 20 })
    expect(parseRange('10:20')).toEqual({ from: 10, to: 20 })
    expect(parseRange('7')).toEqual({ from: 7, to: 7 })
    expect(parseRange('  ')).toBe('all')
  })

  test.each(['0', '20-10', '1-', '-3', 'x', '1-2-3', '1.5', '9999999999'])(
    '[FILE5] %j is no range',
    (text) => {
      expect(parseRange(text)).toBeNull()
    },
  )

  test('[FILE5] only those lines are cut out, and the range says which they are', () => {
    const text = 'one\ntwo\r\nthree\nfour\n'
    expect(cutRange(text, { from: 2, to: 3 })).toEqual({
      content: 'two\nthree',
      range: { from: 2, to: 3 },
    })
    expect(cutRange(text, { from: 4, to: 99 })).toEqual({
      content: 'four',
      range: { from: 4, to: 4 },
    })
    expect(cutRange(text, { from: 5, to: 6 })).toBeNull()
  })

  test('[FILE5] a name is shown with its range', () => {
    expect(nameWithRange('a.ts', formatRange({ from: 10, to: 20 }))).toBe('a.ts (10-20)')
    expect(nameWithRange('a.ts', formatRange({ from: 7, to: 7 }))).toBe('a.ts (7)')
    expect(nameWithRange('a.ts', undefined)).toBe('a.ts')
  })
})

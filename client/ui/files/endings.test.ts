import { describe, expect, test } from 'vitest'
import { toFieldText, withEndingsOf } from './endings.ts'

describe('line ends', () => {
  test('[FILE5] a file with Windows line ends keeps them when it is saved', () => {
    const original = 'one\r\ntwo\r\n'
    const field = toFieldText(original)
    expect(field).toBe('one\ntwo\n')
    expect(withEndingsOf(original, field)).toBe(original)
    expect(withEndingsOf(original, `${field}three\n`)).toBe('one\r\ntwo\r\nthree\r\n')
  })

  test('[FILE5] a file without any line end gets the usual one', () => {
    expect(withEndingsOf('', 'a\nb')).toBe('a\nb')
    expect(withEndingsOf('\ra\rb\r', 'a\nb')).toBe('a\rb')
  })
})

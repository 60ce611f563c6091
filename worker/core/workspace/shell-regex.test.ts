import { expect, test } from 'vitest'
import { toRegexWeight, toUnits } from './shell-regex.ts'

const unitsOf = (text: string, line = 1e6): number => toUnits(toRegexWeight(text), line)

test.each(['foo', 'fo+ bar|baz', '^[a-z_]+=.*$', '[0-9]{3}-[0-9]{4}', '{ print $1 }', 's/a/b/g'])(
  '[FILE2] an everyday expression is cheap: %s',
  (text) => {
    expect(unitsOf(text)).toBeLessThan(5)
  },
)

test.each(['(a?){1000}', '((a?){30}){30}', '\\(a*\\)\\{900\\}', 'a?'.repeat(200), '(a|b){,500}c'])(
  '[FILE2] repetitions that are all alive at once are dear on a short line too: %s',
  (text) => {
    expect(unitsOf(text, 10)).toBeGreaterThan(90)
  },
)

test('[FILE2] a repeated character costs no more than the line allows', () => {
  expect(unitsOf('.{120,}', 1e6)).toBeGreaterThan(50)
  expect(unitsOf('.{120,}', 32)).toBeLessThan(3)
  expect(unitsOf('[0-9a-f]\\{64\\}', 1e6)).toBeGreaterThan(25)
})

test('[SAF2] brackets without an end are counted, whatever their number', () => {
  expect(unitsOf('('.repeat(10_000))).toBeLessThan(1000)
  expect(unitsOf(')'.repeat(10_000))).toBeLessThan(1000)
  expect(unitsOf('{9'.repeat(10_000))).toBeLessThan(1000)
})

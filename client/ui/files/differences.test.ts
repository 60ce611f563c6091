import { expect, test } from 'vitest'
import { toDifferences } from './differences.ts'

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('')
const shown = (before: string | null, agent: string | null, current: string | null) => {
  const { taken, put, since } = toDifferences(before, agent, current)
  return { taken: [...taken], put: [...put], since: [...since] }
}

const long = (word: string): string =>
  Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('')

test('[FILE4] a conflict marks what the agent took out, what it put in, and what came since', () => {
  const before = text('one', 'two', 'three', 'four')
  const agent = text('one', 'TWO', 'three', 'four', 'five')
  const current = text('zero', 'one', 'TWO', 'three', 'FOUR', 'five')
  expect(shown(before, agent, current)).toEqual({ taken: [1], put: [1, 4], since: [0, 4] })
})

test('[FILE4] nothing is marked where the versions agree, or where there is nothing to compare', () => {
  const same = text('one', 'two')
  const nothing = { taken: [], put: [], since: [] }
  expect(shown(same, same, same)).toEqual(nothing)
  expect(shown(null, same, null)).toEqual(nothing)
  expect(shown('', '', '')).toEqual(nothing)
})

test('[FILE4] two texts with nothing in common are found quickly, and not marked line by line', () => {
  expect(shown(long('a'), long('b'), long('b'))).toEqual({ taken: [], put: [], since: [] })
})

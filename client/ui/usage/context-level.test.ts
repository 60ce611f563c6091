import { expect, test } from 'vitest'
import { LEVEL_WORDS, levelOf, percentOf } from './context-level.ts'

test('[RUN8] the share of the window is a whole number, and no window is no share', () => {
  const shares = [
    [0, 8000],
    [3440, 8000],
    [8400, 8000],
    [12, 0],
    [-5, 8000],
  ].map(([tokens, window]) => percentOf({ tokens: tokens!, window: window! }))
  expect(shares).toEqual([0, 43, 105, 0, 0])
})

test('[UI2] what is near the window says so in words', () => {
  const said = [0, 69, 70, 84, 85, 130].map((percent) => LEVEL_WORDS[levelOf(percent)])
  expect(said).toEqual(['', '', 'filling up', 'filling up', 'nearly full', 'nearly full'])
})

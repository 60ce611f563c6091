import { expect, test } from 'vitest'
import { readFinal } from './read-final.ts'

test('[UI2] a final call says what was done, how it ended and what is open', () => {
  const open = ['Choose a colour']
  expect(readFinal(JSON.stringify({ summary: 'Did **it**.', outcome: 'partly', open }))).toEqual({
    summary: 'Did **it**.',
    outcome: 'partly',
    open,
  })
  expect(readFinal('{"summary":"x"}')).toEqual({ summary: 'x', outcome: 'done', open: [] })
})

test.each(['', '{', 'null', '[]', '{}', '{"summary":3}', '{"summary":" "}'])(
  '[SAF2] %j is no final call',
  (json) => {
    expect(readFinal(json)).toBe(null)
  },
)

test('[SAF2] what is not of its kind is left out', () => {
  expect(readFinal('{"summary":"x","outcome":7,"open":[1,"a",null]}')).toEqual({
    summary: 'x',
    outcome: 'done',
    open: ['a'],
  })
})

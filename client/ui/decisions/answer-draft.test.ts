import { describe, expect, test } from 'vitest'
import type { Question } from '#protocol/decision-events'
import { choose, readAnswers, write, type Drafts } from './answer-draft.ts'

const colour: Question = { id: 'colour', text: 'Which?', options: ['red', 'blue'], free: true }
const rooms: Question = { id: 'rooms', text: 'Where?', options: ['hall', 'attic'], multi: true }
const why: Question = { id: 'why', text: 'Why?' }
const QUESTIONS = [colour, rooms, why]

const NOTHING: Drafts = {}

describe('[DEC5] answers to several questions', () => {
  test('chosen, chosen several times and written: each as its question asks for it', () => {
    let drafts = choose(NOTHING, colour, 'red', true)
    drafts = choose(drafts, rooms, 'attic', true)
    drafts = choose(drafts, rooms, 'hall', true)
    drafts = write(drafts, why, '  because \n')
    expect(readAnswers(QUESTIONS, drafts)).toEqual({
      ok: true,
      answers: { colour: 'red', rooms: ['attic', 'hall'], why: 'because' },
    })
  })

  test('what is missing is said at its question', () => {
    const read = readAnswers(QUESTIONS, write(NOTHING, why, '   '))
    expect(read.ok ? [] : [...read.problems]).toEqual([
      ['colour', 'Choose one, or write an answer.'],
      ['rooms', 'Choose at least one.'],
      ['why', 'Write an answer.'],
    ])
  })

  test('one answer is one: the later of option and own words holds', () => {
    const written = write(choose(NOTHING, colour, 'red', true), colour, 'green')
    expect(readAnswers([colour], written)).toEqual({ ok: true, answers: { colour: 'green' } })
    const chosen = choose(written, colour, 'blue', true)
    expect(readAnswers([colour], chosen)).toEqual({ ok: true, answers: { colour: 'blue' } })
    const emptied = write(chosen, colour, '')
    expect(readAnswers([colour], emptied)).toEqual({ ok: true, answers: { colour: 'blue' } })
  })

  test('of several, one can be taken back; own words do not count where none are asked for', () => {
    let drafts = choose(NOTHING, rooms, 'hall', true)
    drafts = choose(drafts, rooms, 'attic', true)
    drafts = write(choose(drafts, rooms, 'hall', false), rooms, 'cellar')
    expect(readAnswers([rooms], drafts)).toEqual({ ok: true, answers: { rooms: ['attic'] } })
  })

  test('an id that means something to JavaScript is an id like any other', () => {
    const odd: Question = { id: '__proto__', text: 'Odd?' }
    const read = readAnswers([odd], write(NOTHING, odd, 'yes'))
    expect(read.ok && Object.entries(read.answers)).toEqual([['__proto__', 'yes']])
    expect(readAnswers([odd], NOTHING).ok).toBe(false)
  })
})

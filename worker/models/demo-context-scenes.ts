// The model's window: an answer that fills it, and the summary that the engine then asks for.

import {
  call,
  CHARS_PER_TOKEN,
  fail,
  shorten,
  text,
  WINDOW_TOKENS,
  type Scene,
} from './demo-scene.ts'
import { readSummary, stripMessage } from './demo-notes.ts'

/** Above the share at which the engine makes room before the next step. */
const FILL_TO = 0.92
const MIN_TOKENS = 500
const ENTRIES_PER_PARAGRAPH = 8
const WINDS = ['north', 'west', 'south-west', 'south', 'north-west', 'east', 'south-east'] as const
const SEAS = ['calm', 'slight', 'moderate', 'rough', 'confused'] as const

function toEntry(index: number): string {
  const wind = `${WINDS[index % WINDS.length]} ${2 + ((index * 5) % 7)}`
  const pressure = 996 + ((index * 11) % 29)
  const end = (index + 1) % ENTRIES_PER_PARAGRAPH === 0 ? '\n\n' : ' '
  return (
    `Entry ${index + 1}: wind ${wind}, sea ${SEAS[index % SEAS.length]}, ${pressure} hPa, ` +
    `ships seen: ${(index * 3) % 8}.${end}`
  )
}

const OPENING =
  `My window is small, ${WINDOW_TOKENS.toLocaleString('en')} tokens, so that it can be filled ` +
  'while you watch the meter. This is the log of a lighthouse, and you need not read it.\n\n'
const ENDING =
  '\n\nNow the window is nearly full. With your next message the engine first has the older ' +
  'part of the conversation summarised; you still see all of it, and I am given the summary.'

function toLogBook(chars: number): string {
  let entries = ''
  for (let index = 0; entries.length < chars; index++) entries += toEntry(index)
  return entries.trimEnd()
}

export const fillContext: Scene = {
  keywords: ['fill', 'context', 'compact', 'compaction'],
  offer: '**context**: fills my small window, so that the next message compacts it',
  rounds: [
    ({ room }) => {
      const tokens = Math.max(MIN_TOKENS, room - (1 - FILL_TO) * WINDOW_TOKENS)
      const chars = tokens * CHARS_PER_TOKEN - OPENING.length - ENDING.length
      return [text(OPENING), text(toLogBook(chars), 'fast'), text(ENDING)]
    },
  ],
}

const OVERFLOW = 'The demo model plays a conversation that is too long for it.'

export const overflow: Scene = {
  keywords: ['overflow', 'overflows', 'too long'],
  offer:
    '**overflow**: a provider that refuses a conversation for its length, in the middle of a run',
  rounds: [
    () => [
      text('First something to remember, so that there is a conversation to shorten.'),
      call('calculate', { expression: '19 + 23' }),
    ],
    ({ hasSummary }) =>
      hasSummary
        ? [
            text(
              'The result is known, and what came before it reached me as a summary: refused for ' +
                'its length, the engine shortened the conversation and asked again, in the same ' +
                'run. You still see every message.',
            ),
          ]
        : [fail('model_context_overflow', OVERFLOW)],
  ],
}

const TRANSCRIPT = /^--- conversation ---\n([\s\S]*)\n--- end of the conversation ---$/m
/** Where the next speaker of a transcript begins. */
const SPEAKERS = /^(?=Person: |Assistant: |Assistant calls |Result of )/m
const BULLETS = 12
const BULLET_CHARS = 160

/** A summary without understanding: what was asked for, and which tools were called. */
export function toSummarySteps(request: string) {
  const blocks = (TRANSCRIPT.exec(request)?.[1] ?? request).split(SPEAKERS)
  const asked = blocks.flatMap((block) =>
    block.startsWith('Person: ') ? toAsked(block.slice('Person: '.length).trim()) : [],
  )
  const called = blocks.flatMap((block) => /^Assistant calls (\w+)/.exec(block)?.[1] ?? [])
  const bullets = [...new Set(asked)].slice(-BULLETS).map((line) => `- The person asked: “${line}”`)
  if (called.length > 0)
    bullets.push(`- Tools that were called: ${[...new Set(called)].join(', ')}`)
  return [text(bullets.join('\n') || '- Nothing was asked for that a keyword would be found in.')]
}

/** A message is one question; a summary of what was before holds those that it was made from. */
function toAsked(message: string): string[] {
  const summary = readSummary(message)
  const questions = summary ?? [stripMessage(message)]
  return questions.map((question) => shorten(question, BULLET_CHARS)).filter((line) => line !== '')
}

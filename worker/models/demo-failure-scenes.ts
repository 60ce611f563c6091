// Scenes in which the provider fails. Which try this is follows from the request alone: a try
// that broke off has left its words in the history, so no scene keeps count of anything.

import { STALL_MS } from '#protocol/limits'
import { fail, INTRODUCTION, text, type DemoStep, type Scene } from './demo-scene.ts'

const OVERLOADED = 'The demo model plays a provider that is overloaded.'
const LIMITED = 'The demo model plays a provider with too many requests.'
const AWAY = 'The demo model plays a provider that cannot be reached. Try again in a moment.'
const TOOLLESS = 'The demo model plays a model that cannot use tools.'
const RETRY_AFTER_MS = 1500

const HALF = 'The first model begins this sentence, and in the middle of it the provider '
const REST =
  'is overloaded, on this try and on every other. The engine tries again, says so, and then ' +
  'falls over: from the seam on you read `demo-backup`, which found the half sentence in its ' +
  'history.\n\nI said the last words of it again on purpose, as models do. The engine cut the ' +
  'repetition, so the sentence reads as if nobody had changed in the middle of it.'
const DIRECT =
  'Here `demo-backup` answers from the first word on: either it is the model of this session, or ' +
  '`demo` has failed a moment ago and is left alone for a minute. Ask for the **fallback** again ' +
  'after that, with `demo` as the model, to see one take over from the other in mid-sentence.'

/** The words are the start of `script`, or go on from it. */
function isFrom(script: string, said: string): boolean {
  const own = said.startsWith(INTRODUCTION) ? said.slice(INTRODUCTION.length) : said
  return own !== '' && (script.startsWith(own) || own.startsWith(script.trim()))
}

export const fallback: Scene = {
  keywords: ['fallback', 'fall back', 'fall over', 'falls over', 'fail over', 'failover'],
  offer: '**fallback**: a model that breaks off, and another that finishes its sentence',
  seam: HALF,
  rounds: [
    ({ model, said }) => {
      if (model === 'demo') return [text(HALF), fail('model_overloaded', OVERLOADED)]
      return isFrom(HALF, said) ? [text(HALF), text(REST)] : [text(DIRECT)]
    },
  ],
}

const TRIES = [
  'The first try gets this far, and then the provider has had too many requests. ',
  'The second try goes on from there and ends the same way. ',
  'The third try goes through.\n\nThe provider had said how long to wait, and the engine waited ' +
    'that long each time. What had been said stayed, so nothing was said twice.',
] as const

export const retry: Scene = {
  keywords: ['rate limit', 'rate limited', 'rate limits', 'retry', 'retries'],
  offer: '**retry**: a rate limit, twice, and the try that goes through',
  rounds: [
    ({ said }) => {
      const broken = TRIES.findIndex((words) => !said.includes(words.trim()))
      const last = TRIES.length - 1
      if (broken < 0 || broken === last) return TRIES.map((words) => text(words))
      return [
        ...TRIES.slice(0, broken + 1).map((words) => text(words)),
        fail('model_rate_limited', LIMITED, RETRY_AFTER_MS),
      ]
    },
  ],
}

export const unreachable: Scene = {
  keywords: ['unreachable', 'outage', 'provider down'],
  offer: '**unreachable**: no model can be reached, and what a run says that failed for good',
  rounds: [() => [fail('model_unavailable', AWAY)]],
}

export const noTools: Scene = {
  keywords: ['no tools', 'without tools', 'warning'],
  offer: '**no tools**: a model that cannot use tools, and the warning that says so',
  rounds: [
    ({ hasTools }) =>
      hasTools
        ? [fail('model_no_tools', TOOLLESS)]
        : [
            text(
              'This request came without any tools. Asked with tools, I play a model that refuses ' +
                'them; the engine then warns you, leaves them out and asks again, instead of ' +
                'giving up.',
            ),
          ],
  ],
}

const SILENT =
  'I will stop in the middle of this answer and keep the connection open, as a provider does ' +
  `that hangs. After a while without a word (${STALL_MS / 1000} seconds, if not set otherwise) ` +
  'the engine takes me for dead and tries again; **Stop** works at once. And now I am '
const AWAKE =
  'back. The silence was ended from outside, and this is another try that goes on from the ' +
  'words above.'

export const stall: Scene = {
  keywords: ['stall', 'stalls', 'stalled', 'hang', 'hangs'],
  offer: '**stall**: words, and then silence; wait for the engine to notice, or press Stop',
  rounds: [
    ({ said }): readonly DemoStep[] =>
      said.includes(SILENT.trim()) ? [text(SILENT), text(AWAKE)] : [text(SILENT), { type: 'hang' }],
  ],
}

const CRASH = `Now is the time to be rude. While I count, kill the server the hard way:

\`\`\`sh
pgrep -fl workerd   # its number, if it is the only one
kill -9 <number>
\`\`\`

Then start it again with \`npm start\`. The words that were stored are still here, the page
reconnects, and the run goes on by itself from its last stored word. After two such crashes, or
if the session is set to stop, the answer is marked as interrupted instead, and **Continue** goes
on from there. Either way I must not repeat myself: each number comes once.

`

const COUNT = 40
const LINES = Array.from({ length: COUNT }, (_, i) => `- Line ${i + 1} of ${COUNT}, still here.\n`)

export const crash: Scene = {
  keywords: ['crash', 'crashes', 'kill 9', 'kill the server', 'recovery'],
  offer: '**crash**: counts slowly, so that you can `kill -9` the server and see it go on',
  rounds: [
    () => [
      text(CRASH),
      text(LINES.join(''), 'slow'),
      text(`\nThat was all of it: ${COUNT} lines, none missing, none twice.`),
    ],
  ],
}

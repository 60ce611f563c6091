// What the demo model says and calls, scene by scene. A scene is chosen by its keywords and
// played in rounds: each round after the first follows the results of the calls before it.

import { STORY } from './demo-story.ts'

export type DemoStep =
  | { type: 'thinking'; text: string }
  | { type: 'text'; text: string }
  | { type: 'call'; toolName: string; input: Record<string, unknown> }

export type DemoResult = {
  toolName: string
  input: Record<string, unknown>
  ok: boolean
  text: string
}

export type Situation = {
  /** What the person asked for. */
  asked: string
  /** Results of the latest calls. */
  results: readonly DemoResult[]
  /** Messages that arrived while those calls ran. */
  steered: readonly string[]
}

export type Scene = {
  /** Any of these words or phrases chooses the scene; the first scene with a match wins. */
  keywords: readonly string[]
  /** One line in the list of what can be asked for. */
  offer: string
  rounds: readonly ((situation: Situation) => readonly DemoStep[])[]
}

export const INTRODUCTION =
  "I'm Parley's built-in demo model, not a real language model: I look for keywords and follow " +
  'scripts, so that everything here can be tried without an API key.\n\n'

const text = (content: string): DemoStep => ({ type: 'text', text: content })
const thinking = (content: string): DemoStep => ({ type: 'thinking', text: content })
const call = (toolName: string, input: Record<string, unknown>): DemoStep => ({
  type: 'call',
  toolName,
  input,
})

const CITIES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo'] as const
const toCity = (zone: unknown): string => String(zone).split('/').at(-1)!.replaceAll('_', ' ')

/** The first piece of arithmetic in a message: numbers with an operator between them. */
const findArithmetic = (asked: string): string | undefined =>
  // Cut first: the pattern takes quadratic time on a long row of digits.
  /[\d(][\d\s.()]*(?:[-+*/%^][\s(]*[\d.]+[\s)]*)+/.exec(asked.slice(0, 500))?.[0].trim()

function findSeconds(asked: string, otherwise: number): number {
  const seconds = Number(/\d+/.exec(asked)?.[0] ?? otherwise)
  return Math.min(60, Math.max(1, seconds))
}

/** One result as a person would tell it, whatever became of the call. */
export function describeResult({ toolName, ok, text: result }: DemoResult): string {
  if (ok) return result
  if (result.startsWith('tool_interrupted')) return `*\`${toolName}\` was interrupted*`
  return `*\`${toolName}\` failed:* ${result.split('\n', 1)[0]}`
}

const isInterrupted = (results: readonly DemoResult[]): boolean =>
  results.some((result) => !result.ok && result.text.startsWith('tool_interrupted'))

const thinkTool: Scene = {
  keywords: ['think tool', 'use think', 'thought tool'],
  offer: '**think tool**: a tool call that is shown as thinking',
  rounds: [
    () => [
      call('think', {
        thought:
          'I have a tool whose only effect is that I write down what I think. The person should ' +
          'see this as thinking, not as a tool block. After it I am called again, as after any ' +
          'other tool, and can answer with the thought in my history.',
      }),
    ],
    () => [
      text(
        'That thought came from the `think` **tool**. It streams and folds like any other ' +
          'thinking, and my history holds it as a call with an answer.',
      ),
    ],
  ],
}

const failingTool: Scene = {
  keywords: ['fail', 'fails', 'failing', 'error', 'broken'],
  offer: '**failing tool**: a tool call with an error, and what comes after it',
  rounds: [
    () => [
      text('I will ask the calculator for something that is not arithmetic.'),
      call('calculate', { expression: '2 + * 3' }),
    ],
    ({ results }) => [
      text(
        `As expected:\n\n${results.map(describeResult).join('\n')}\n\nAn error goes back to me as ` +
          'the result of the call, so I can read it, repair the call and try again.',
      ),
      call('calculate', { expression: '2 + 2 * 3' }),
    ],
    ({ results }) => [
      text(
        `The repaired expression \`2 + 2 * 3\` gives: ${results.map(describeResult).join(', ')}`,
      ),
    ],
  ],
}

const steering: Scene = {
  keywords: ['steer', 'steering'],
  offer: '**steering**: a message that reaches me in the middle of a run',
  rounds: [
    ({ asked }) => [
      text(
        'I will count down. Write something meanwhile and send it as **steer**: I see it at my ' +
          'next step, before this run is over. Sent as **queue**, it waits for the next run.',
      ),
      call('countdown', { from: findSeconds(asked, 15), label: 'Waiting for you' }),
    ],
    ({ steered, results }) => [
      text(
        steered.length > 0
          ? 'That is steering: the run went on, and its next step had your message in it.'
          : `No message was steered into this run. ${results.map(describeResult).join('\n')}`,
      ),
    ],
  ],
}

const slowTool: Scene = {
  keywords: ['slow', 'countdown', 'count down'],
  offer: '**slow tool**: a countdown that streams its output; try Stop, or *count down from 20*',
  rounds: [
    ({ asked }) => [
      text('This tool takes its time. Its output streams while it runs, and Stop ends it at once.'),
      call('countdown', { from: findSeconds(asked, 10), label: 'Lift-off in' }),
    ],
    ({ results }) => [
      text(
        isInterrupted(results)
          ? 'The countdown was interrupted before it reached zero. What it had put out is kept ' +
              'above, and the call is marked as interrupted, so that I know it did not finish.'
          : `The tool says: ${results.map(describeResult).join('\n')}`,
      ),
    ],
  ],
}

const longAnswer: Scene = {
  keywords: ['long', 'essay', 'story', 'interrupt'],
  offer: '**long answer**: about a minute of text, to interrupt, reload or queue behind',
  rounds: [() => [text(STORY)]],
}

const tools: Scene = {
  keywords: ['tool', 'tools', 'parallel', 'time', 'clock', 'cities', 'calculate', 'calculator'],
  offer: '**tools**: three clocks and a calculator at the same time, or *calculate 12 \\* 34*',
  rounds: [
    ({ asked }) => [
      text('Several calls at once; each result lands on its own call, in whatever order they end.'),
      ...CITIES.map((timezone) => call('current_time', { timezone })),
      call('calculate', { expression: findArithmetic(asked) ?? '(19 + 23) * 10 / 4' }),
    ],
    ({ results }) => [
      text(
        `| call | result |\n| --- | --- |\n${results
          .map((result) => {
            const { timezone, expression } = result.input
            const label = timezone === undefined ? `\`${String(expression)}\`` : toCity(timezone)
            return `| ${label} | ${describeResult(result).replaceAll('|', '\\|')} |\n`
          })
          .join('')}`,
      ),
    ],
  ],
}

const MARKDOWN = `## Streaming markdown

Text arrives a few characters at a time and is *rendered as it comes*: **bold**, \`code\`, and
[links](https://developers.cloudflare.com/durable-objects/) never flash half-open.

### A table

| part | stored as | shown as |
| --- | --- | --- |
| text | coalesced rows | live fragments |
| thinking | coalesced rows | folds when text follows |
| tool call | one row, one result | a block with a state |

### Code

\`\`\`ts
const stored = log.append(events)
state = stored.reduce(applyEvent, state)
sockets.send(stored) // in this order, always
\`\`\`

### A list

1. The log is the truth.
2. Everything else is folded from it:
   - what you see,
   - what another tab sees,
   - what the model is told.
3. A reload changes nothing.

> A person saw it, so it is kept.
`

const markdown: Scene = {
  keywords: ['markdown', 'table', 'code', 'list', 'format', 'formatting'],
  offer: '**markdown**: headings, a table, code and a list',
  rounds: [() => [text(MARKDOWN)]],
}

const thinkingScene: Scene = {
  keywords: ['think', 'thinking', 'reason', 'reasoning'],
  offer: '**thinking**: a stream of thinking before the answer',
  rounds: [
    ({ asked }) => [
      thinking(
        `The person wrote “${shorten(asked)}”. The keyword is about thinking, so I should show ` +
          'some. A thinking part streams like text but is not held back at its start; it stays ' +
          'open while it grows and folds when the answer begins. Two or three sentences are ' +
          'enough to see that. Now the answer.',
      ),
      text(
        'That was a thinking part. It is stored beside the answer and never mixed into it, and it ' +
          'folded when this text began.',
      ),
    ],
  ],
}

/** In order of choice: a phrase comes before the single words it contains. */
export const SCENES: readonly Scene[] = [
  thinkTool,
  failingTool,
  steering,
  slowTool,
  longAnswer,
  tools,
  markdown,
  thinkingScene,
]

export const GREETING: Scene = {
  keywords: [],
  offer: '',
  rounds: [
    ({ asked }) => [
      text(
        `Hello! You wrote “${shorten(asked)}”, and I found none of my keywords in it. ` +
          `Ask for one of these:\n\n${SCENES.map(({ offer }) => `- ${offer}\n`).join('')}\n` +
          'For a real model, set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for a server of your own, ' +
          'and `OPENAI_MODEL`.',
      ),
    ],
  ],
}

/** After calls that no round of a scene expects: another model's, or one round too many. */
export const toReport = ({ results }: Situation): readonly DemoStep[] => [
  text(
    `These results came back:\n\n${results
      .map((result) => `- \`${result.toolName}\`: ${describeResult(result)}\n`)
      .join('')}`,
  ),
]

export const toAcknowledgement = (steered: readonly string[]): DemoStep =>
  text(
    `While I was working you wrote ${steered.map((message) => `“${shorten(message)}”`).join(' and ')}. ` +
      'I have read it, in the middle of this run.\n\n',
  )

export const toUnavailable = (toolName: string): DemoStep =>
  text(`\n\nHere I would call \`${toolName}\`, but this session does not offer it to me.`)

export const RESUMPTION = 'I was interrupted, so here is the answer again from its start.\n\n'
export const NOTHING_LEFT = 'There is nothing left to add: the answer above was complete.'

function shorten(message: string): string {
  const line = message.trim().replaceAll(/\s+/g, ' ')
  return line.length <= 200 ? line : `${line.slice(0, 199).trimEnd()}…`.toWellFormed()
}

export function findScene(asked: string): Scene {
  const words = ` ${asked.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `
  const isAsked = (keyword: string): boolean => words.includes(` ${keyword} `)
  return SCENES.find(({ keywords }) => keywords.some(isAsked)) ?? GREETING
}

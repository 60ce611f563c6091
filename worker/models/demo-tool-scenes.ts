// Scenes about tools: in parallel, slow, failing, wrongly called, and one that is a thought.

import { STEPS_PER_RUN } from '#protocol/limits'
import { call, describeResult, text, thinking, type DemoResult, type Scene } from './demo-scene.ts'

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

const isInterrupted = (results: readonly DemoResult[]): boolean =>
  results.some((result) => !result.ok && result.text.startsWith('tool_interrupted'))

export const thinkTool: Scene = {
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

export const failingTool: Scene = {
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

export const steering: Scene = {
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

export const slowTool: Scene = {
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

export const tools: Scene = {
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

export const longRun: Scene = {
  keywords: ['long run', 'busy', 'progress'],
  offer: '**long run**: thoughts and many calls, each stretch of work folded when text follows',
  rounds: [
    () => [
      thinking('Three clocks first; what to work out follows from them.'),
      text('I begin with three clocks.'),
      ...CITIES.map((timezone) => call('current_time', { timezone })),
    ],
    () => [
      thinking('All three are there. Two sums, and a moment to wait for them.'),
      call('calculate', { expression: '(19 + 23) * 10' }),
      call('calculate', { expression: '24 * 60 - 420' }),
      call('countdown', { from: 3, label: 'Still at it' }),
    ],
    ({ results }) => [
      text(
        `So much for the first stretch; its work has folded into the line above. The sums are ` +
          `${results.slice(0, 2).map(describeResult).join(' and ')}.`,
      ),
      call('calculate', { expression: '420 / 0 +' }),
      call('current_time', { timezone: 'UTC' }),
      call('countdown', { from: 2, label: 'Nearly there' }),
    ],
    () => [
      text(
        'Done. One call of the second stretch failed, and its line says so while it is folded. ' +
          'Open either of them: what you open stays open.',
      ),
    ],
  ],
}

export const invalidArguments: Scene = {
  keywords: ['invalid arguments', 'bad arguments', 'invalid json', 'invalid'],
  offer: '**invalid arguments**: a call that is not valid JSON, read and repaired',
  rounds: [
    () => [
      text('I will break off in the middle of the arguments, as models sometimes do.'),
      call('calculate', {}, '{"expression": 2 +'),
    ],
    ({ results }) => [
      text(
        `The tool never ran:\n\n${results.map(describeResult).join('\n')}\n\nThe answer says what ` +
          'is wrong, so I can send the call again, properly this time.',
      ),
      call('calculate', { expression: '2 + 2' }),
    ],
    ({ results }) => [
      text(`The repaired call \`2 + 2\` gives: ${results.map(describeResult).join(', ')}`),
    ],
  ],
}

const toStep: Scene['rounds'][number] = ({ round }) => [
  text(`Step ${round + 1}. `),
  call('current_time', { timezone: CITIES[round % CITIES.length] }),
]

export const manySteps: Scene = {
  keywords: ['many steps', 'step limit'],
  offer: '**many steps**: one call after the other, until the engine ends it at its step limit',
  rounds: [
    (situation) => [
      text(
        'I will ask for the time, again and again, and never be content. A run has a limit of ' +
          `${STEPS_PER_RUN} steps, so this ends by itself; Stop ends it sooner.\n\n`,
      ),
      ...toStep(situation),
    ],
  ],
  onward: toStep,
}

// Scenes in which agents talk: one asks another and waits, or is called back, and one has children.
// The others are played by this model too, in sessions of their own: what they are asked is one of
// these sentences, whole, so that no keyword in it can choose another scene for them.

import {
  call,
  describeResult,
  shorten,
  text,
  type DemoResult,
  type Round,
  type Scene,
  type Situation,
} from './demo-scene.ts'

const OTHER = 'researcher'
const SENTENCE = 'A light is a promise that is kept whether or not anybody is there to see it.'

const QUESTION = `How long is this sentence, and what time is it in Lisbon? “${SENTENCE}”`
const LATER = 'Take your time, three seconds of it, and tell me when the ferry goes.'

const LAMP = 'Count down to the lighting of the lamp.'
const LOGBOOK = 'Write the report of the night into notes/night.md.'
const SETTING = 'Put the lamp into the sensitive file .env, if the person allows it.'

const quote = (words: string): string => `> ${words.trim().replaceAll('\n', '\n> ')}\n`

const nameOf = ({ sender }: Situation): string =>
  sender.kind === 'person' ? 'a person' : `the agent \`${sender.name}\``

/** What another agent said, or why it said nothing. */
const tellAnswer = (result: DemoResult): string =>
  result.ok ? quote(result.text) : `${describeResult(result)}\n`

export const twoAgents: Scene = {
  keywords: ['two agents', 'another agent', 'other agent', 'agents', OTHER, 'exchange'],
  offer: `**two agents**: I ask the agent \`${OTHER}\` something and wait for its answer`,
  rounds: [
    () => [
      text(
        `I do not know that myself, so I ask the agent \`${OTHER}\`. It has a session of its own and ` +
          'knows nothing of ours. This run waits for its answer, and nothing executes here meanwhile.',
      ),
      call('agents_message', { to: OTHER, message: QUESTION, wait: true }),
    ],
    ({ results }) => [
      text(
        `The agent \`${OTHER}\` has answered:\n\n${results.map(tellAnswer).join('\n')}\n` +
          'Its answer is the result of my call. The block above shows what it did for it, and its ' +
          'session is in the list: you can go there and read the same from its side.',
      ),
    ],
  ],
}

const measure: Scene = {
  keywords: [],
  offer: '',
  rounds: [
    (situation) => [
      text(`This is asked by ${nameOf(situation)}. I measure the sentence and look at the clock.`),
      call('text_stats', { text: SENTENCE }),
      call('current_time', { timezone: 'Europe/Lisbon' }),
    ],
    ({ results }) => [text(`I used two tools.\n\n${results.map(tellTool).join('')}`)],
  ],
}

const tellTool = (result: DemoResult): string =>
  `- \`${result.toolName}\`: ${shorten(describeResult(result))}\n`

export const callback: Scene = {
  keywords: ['callback', 'call back', 'called back', 'calls back'],
  offer: `**callback**: I ask \`${OTHER}\`, go on without waiting, and am called back`,
  rounds: [
    () => [
      text(`I send the agent \`${OTHER}\` a message and do not wait for the answer.`),
      call('agents_message', { to: OTHER, message: LATER, wait: false }),
    ],
    ({ results }) =>
      results.every(({ ok }) => ok)
        ? [
            text('It is on its way. Meanwhile I have something else to do.'),
            call('calculate', { expression: '17 * 23' }),
          ]
        : [text(`It could not be sent:\n\n${results.map(describeResult).join('\n')}`)],
    ({ results }) => [
      text(
        `That was 17 × 23 = ${results.map(describeResult).join(', ')}, and this run is over. When ` +
          `\`${OTHER}\` answers, I am called back: its answer starts a run of mine by itself.`,
      ),
    ],
  ],
}

const takeTime: Scene = {
  keywords: [],
  offer: '',
  rounds: [
    () => [call('countdown', { from: 3, label: 'Asking at the harbour' })],
    ({ results }) => [
      text(
        results.every(({ ok }) => ok)
          ? 'The ferry goes at seven, if there is no fog.'
          : `I could not find out: ${results.map(describeResult).join(' ')}`,
      ),
    ],
  ],
}

/** The answer to a message that was not waited for; it chooses nothing, whatever words it has. */
export const calledBack: Scene = {
  keywords: [],
  offer: '',
  rounds: [
    ({ asked, sender }) => [
      text(
        sender.kind === 'callback' && sender.ok
          ? `The agent \`${sender.name}\` has called back:\n\n${quote(asked)}\nNobody wrote to me: the ` +
              'answer alone started this run, and I know which message it belongs to.'
          : `There will be no answer to what I asked:\n\n${quote(asked)}`,
      ),
    ],
  ],
}

export const children: Scene = {
  keywords: ['children', 'three children', 'child', 'subagent', 'subagents', 'spawn'],
  offer: '**children**: three agents work for me at the same time, and one of them needs your yes',
  rounds: [
    () => [
      text(
        'I start three children, each with a task of its own: one counts, one writes a file into ' +
          'our workspace, and one has to ask you first. They work at the same time.',
      ),
      call('agents_spawn', { task: LAMP }),
      call('agents_spawn', { task: LOGBOOK, agent: 'coder' }),
      call('agents_spawn', { task: SETTING }),
    ],
    ({ results }) => [
      text(
        `All ${results.length} have reported:\n\n${results.map(tellChild).join('')}\nWhat they wrote ` +
          'is in our workspace, as part of my changes, and can be undone with them.',
      ),
    ],
  ],
}

const tellChild = (result: DemoResult): string =>
  `- **${String(result.input.task)}** ${shorten(describeResult(result))}\n`

/** One call, and what came of it, in words. */
const errand = (intro: string, toolName: string, input: Record<string, unknown>): Scene => ({
  keywords: [],
  offer: '',
  rounds: [() => [text(intro), call(toolName, input)], tellEnd],
})

const tellEnd: Round = ({ results }) => [
  text(
    results.every(({ ok }) => ok)
      ? `Done. ${results.map(describeResult).join(' ')}`
      : `I have left it alone. ${results.map(describeResult).join(' ')}`,
  ),
]

const NIGHT = '# Night\n\nWind south, force 6. One ship, no name.\nThe lamp was lit at dusk.\n'

/** By the whole of what an agent asks. */
export const ERRANDS: ReadonlyMap<string, Scene> = new Map([
  [QUESTION, measure],
  [LATER, takeTime],
  [LAMP, errand('I count, one line a second.', 'countdown', { from: 5, label: 'Lamp' })],
  [LOGBOOK, errand('I write it down.', 'write_file', { path: 'notes/night.md', content: NIGHT })],
  [
    SETTING,
    errand('That file is sensitive, so a person has to allow it.', 'write_file', {
      path: '.env',
      content: 'LAMP=on\n',
    }),
  ],
])

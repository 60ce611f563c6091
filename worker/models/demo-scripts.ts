// Which scene the demo model plays, and what it says when no scene has the words.

import { calledBack, callback, children, ERRANDS, twoAgents } from './demo-agent-scenes.ts'
import { fillContext, overflow } from './demo-context-scenes.ts'
import {
  commandApproval,
  finishing,
  planning,
  postOut,
  questions,
  sensitiveEdit,
} from './demo-decision-scenes.ts'
import { crash, fallback, noTools, retry, stall, unreachable } from './demo-failure-scenes.ts'
import { fileChanges } from './demo-file-scenes.ts'
import { mission } from './demo-mission-scene.ts'
import {
  describeResult,
  shorten,
  text,
  type DemoStep,
  type Heard,
  type Scene,
  type Sender,
  type Situation,
} from './demo-scene.ts'
import { longAnswer, markdown, thinkingScene } from './demo-text-scenes.ts'
import {
  failingTool,
  invalidArguments,
  longRun,
  manySteps,
  slowTool,
  steering,
  thinkTool,
  tools,
} from './demo-tool-scenes.ts'
import { fetchPage, weather } from './demo-web-scenes.ts'

/** In order of choice: a phrase comes before the single words it contains. */
export const SCENES: readonly Scene[] = [
  callback,
  children,
  twoAgents,
  thinkTool,
  mission,
  noTools,
  longRun,
  manySteps,
  overflow,
  fallback,
  unreachable,
  retry,
  invalidArguments,
  failingTool,
  steering,
  slowTool,
  stall,
  longAnswer,
  crash,
  fillContext,
  weather,
  fetchPage,
  finishing,
  planning,
  questions,
  sensitiveEdit,
  postOut,
  commandApproval,
  fileChanges,
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

export function findScene(asked: string, sender: Sender = { kind: 'person' }): Scene {
  if (sender.kind === 'callback') return calledBack
  // Whole and before all keywords: a task is full of words, as an address is.
  const errand = sender.kind === 'agent' ? ERRANDS.get(asked) : undefined
  if (errand !== undefined) return errand
  const words = ` ${asked.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `
  const isAsked = (keyword: string): boolean => words.includes(` ${keyword} `)
  // An address is full of words, and none of them is a wish.
  const named = SCENES.find(({ matches }) => matches?.(asked) === true)
  return named ?? SCENES.find(({ keywords }) => keywords.some(isAsked)) ?? GREETING
}

/** After calls that no round of a scene expects: another model's, or one round too many. */
export const toReport = ({ results }: Situation): readonly DemoStep[] => [
  text(
    `These results came back:\n\n${results
      .map((result) => `- \`${result.toolName}\`: ${describeResult(result)}\n`)
      .join('')}`,
  ),
]

export const toAcknowledgement = (steered: readonly Heard[]): DemoStep =>
  text(
    `While I was working ${steered.map(tellHeard).join(' and ')}. ` +
      'I have read it, in the middle of this run.\n\n',
  )

/** Somebody who wrote twice in a row is named once. */
function tellHeard(heard: Heard, index: number, all: readonly Heard[]): string {
  const verb = tellSender(heard.sender)
  const previous = all[index - 1]
  const isSame = previous !== undefined && tellSender(previous.sender) === verb
  return `${isSame ? '' : `${verb} `}“${shorten(heard.text)}”`
}

function tellSender(sender: Sender): string {
  switch (sender.kind) {
    case 'person':
      return 'you wrote'
    case 'agent':
      return `the agent \`${sender.name}\` wrote`
    case 'callback':
      return `the agent \`${sender.name}\` answered`
  }
}

export const toUnavailable = (toolName: string): DemoStep =>
  text(`\n\nHere I would call \`${toolName}\`, but this session does not offer it to me.`)

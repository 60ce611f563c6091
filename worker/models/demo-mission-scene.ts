// A mission in small (AGT7): the first scheduled prompt takes a step, the second ends it.

import { call, describeResult, shorten, text, type Scene, type Situation } from './demo-scene.ts'

/** As the engine words it: which prompt of how many, and the mission. */
const PROMPT = /^\[Scheduled prompt (\d+) of \d+[^\]]*\]\s*Mission: ([\s\S]*?)(?:\n\n|$)/

const readPrompt = ({ asked }: Situation): { n: number; mission: string } | null => {
  const found = PROMPT.exec(asked)
  return found === null ? null : { n: Number(found[1]), mission: shorten(found[2] ?? '') }
}

const HOW =
  'A **mission** is a standing goal of this chat: while nobody writes, its schedule prompts me. ' +
  'Open **Mission** at the top of the page (on a phone: behind the name of the model), write one, ' +
  'choose 1 minute, and wait; or press ' +
  '*Prompt now*. At the first prompt I take a step, at the second I end the mission.'

export const mission: Scene = {
  keywords: ['mission', 'missions', 'schedule', 'scheduled'],
  matches: (asked) => PROMPT.test(asked),
  offer: '**mission**: a standing goal that prompts me on a schedule while you are away',
  rounds: [
    (situation) => {
      const prompt = readPrompt(situation)
      if (prompt === null) return [text(HOW)]
      if (prompt.n === 1) {
        return [
          text(`Nobody wrote; the schedule did. I work on “${prompt.mission}” and begin here.`),
          call('current_time', { timezone: 'UTC' }),
        ]
      }
      const summary = `“${prompt.mission}” took ${prompt.n} prompts: one to begin, one to end.`
      return [
        text('This is enough for a demo: I end the mission.'),
        call('mission_done', { summary }),
      ]
    },
    (situation) => [
      text(
        readPrompt(situation)?.n === 1
          ? `It is ${situation.results.map(describeResult).join(', ')}. The next prompt will find ` +
              'me here, and I will end the mission then.'
          : 'The mission is over, and no prompt follows. What came of it stands above the composer.',
      ),
    ],
  ],
}

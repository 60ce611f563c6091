// Scenes in which a person decides: commands, a sensitive file, something that leaves this machine,
// questions, a plan, and how a task ends. A no is as good an answer as a yes: each scene goes on
// from either.

import {
  call,
  describeResult,
  text,
  type DemoResult,
  type DemoStep,
  type Scene,
  type Situation,
} from './demo-scene.ts'

const DENIED = 'tool_denied: '
/** Before a result, and between the code of an error and its message. */
const CHANGED =
  /^(tool_\w+: )?\[The person changed the call before it ran\. What ran: ([\s\S]*?)\][\n ]?/

const isDenied = ({ ok, text: told }: DemoResult): boolean => !ok && told.startsWith(DENIED)

/** What became of a call that somebody was asked about. */
function tellDecision(result: DemoResult): string {
  const { command, path, url } = result.input
  const subject = [command, path, url].find((value) => typeof value === 'string')
  const what = `\`${subject ?? result.toolName}\``
  if (isDenied(result)) return `${what} was not done: ${result.text.slice(DENIED.length)}`
  const changed = CHANGED.exec(result.text)?.[2]
  const rest = describeResult({ ...result, text: result.text.replace(CHANGED, '$1') })
  const [line = ''] = rest.split('\n', 1)
  return changed === undefined
    ? `${what}: ${line}`
    : `${what} was changed first to \`${changed.replaceAll('`', "'")}\`: ${line}`
}

const tellDecisions = ({ results }: Situation): string =>
  results.map((result) => `- ${tellDecision(result)}\n`).join('')

export const commandApproval: Scene = {
  keywords: ['run a command', 'command', 'commands', 'approval', 'approve', 'permission', 'bash'],
  offer: '**command**: commands that wait for your yes; change one before you accept it',
  rounds: [
    () => [
      text(
        'I would like to run two commands. One writes a file, the other deletes a folder: neither ' +
          'runs before you have said so. You can change a command before you accept it, or reject ' +
          'it and tell me why.',
      ),
      call('bash', { command: 'echo "hello from the demo" > hello.txt' }),
      call('bash', { command: 'rm -rf build' }),
    ],
    (situation) => [
      text(
        `This is what came of it:\n\n${tellDecisions(situation)}\nA rejection reaches me as the ` +
          'result of the call, with your reason, so that I can do something else instead.',
      ),
    ],
  ],
}

const ENV = '.env'

export const sensitiveEdit: Scene = {
  keywords: ['sensitive', 'sensitive file', 'env file', 'secret'],
  offer: '**sensitive file**: an edit that is asked about, with what it would change',
  rounds: [
    () => [
      text('Files such as `.env` are sensitive: I may not write one without asking.'),
      call('write_file', { path: ENV, content: 'PORT=8080\nLOG=quiet\n' }),
    ],
    (situation) =>
      situation.results.some(isDenied)
        ? [text(`I leave it alone then.\n\n${tellDecisions(situation)}`)]
        : [
            text('Now a change of it: the card shows what is removed and what is added.'),
            call('edit_file', {
              path: ENV,
              edits: [{ oldText: 'LOG=quiet', newText: 'LOG=loud\nLAMP=on' }],
            }),
          ],
    (situation) => [text(`This is what came of it:\n\n${tellDecisions(situation)}`)],
  ],
}

const HOOK = 'https://example.com/hook'

export const postOut: Scene = {
  keywords: ['post', 'web post', 'webhook', 'hook'],
  offer:
    '**post**: something that leaves this machine waits for your yes, its arguments can be changed',
  rounds: [
    () => [
      text(
        'I would like to tell somebody that the lamp is lit. What leaves this machine cannot be ' +
          'taken back, so I have to ask: look at where it goes and what it says, change either, ' +
          'or say no.',
      ),
      call('web_post', {
        url: HOOK,
        method: 'POST',
        type: 'json',
        body: '{"lamp": "lit", "by": "the demo model"}',
      }),
    ],
    (situation) => [
      text(
        `This is what came of it:\n\n${tellDecisions(situation)}\n${tellPost(situation.results)}`,
      ),
    ],
  ],
}

function tellPost(results: readonly DemoResult[]): string {
  if (results.some(isDenied)) return 'Nothing has left this machine.'
  return results.every(({ ok }) => ok)
    ? 'It is sent, and once: a crash now would not send it again.'
    : 'I do not try again by myself: it might arrive twice. Without a network, or with nobody ' +
        'there who listens, this is how it ends.'
}

export const questions: Scene = {
  keywords: ['ask me', 'question', 'questions', 'ask user'],
  offer: '**questions**: I ask you several things at once, and wait',
  rounds: [
    () => [
      text('Before I paint the lighthouse, I need to know a few things.'),
      call('ask_user', {
        questions: [
          { id: 'colour', text: 'Which colour?', options: ['red', 'white', 'stripes'], free: true },
          {
            id: 'parts',
            text: 'Which parts of it?',
            options: ['the tower', 'the door', 'the railing'],
            multi: true,
          },
          { id: 'why', text: 'And why now?' },
        ],
      }),
    ],
    ({ results }) => [
      text(
        `Thank you. You said:\n\n${results
          .map((result) => `> ${describeResult(result).replaceAll('\n', '\n> ')}\n`)
          .join('')}\nYour answers are the result of the call, and I go on from there.`,
      ),
    ],
  ],
}

type Step = { text: string; status: 'pending' | 'active' | 'done' }
type Plan = { title: string; steps: readonly Step[] }

const PLAN: Plan = {
  title: 'Light the lamp',
  steps: ['Climb the stairs', 'Clean the glass', 'Light the lamp'].map((words) => ({
    text: words,
    status: 'pending',
  })),
}

const isStep = (value: unknown): value is { text: string } =>
  typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string'

function toPlan(value: unknown): Plan | null {
  if (typeof value !== 'object' || value === null) return null
  const { title, steps } = value as Record<string, unknown>
  if (typeof title !== 'string' || !Array.isArray(steps) || !steps.every(isStep)) return null
  return { title, steps: steps.map((step) => ({ text: step.text, status: 'pending' })) }
}

/** As the person approved it; as it was proposed where nobody was asked. */
function readPlan({ results }: Situation): Plan {
  const result = results.find(({ toolName }) => toolName === 'update_plan')
  const [json] = /^\{.*\}$/m.exec(result?.text ?? '') ?? []
  try {
    const approved = json === undefined ? null : toPlan(JSON.parse(json))
    if (approved !== null) return approved
  } catch {
    // Not a plan: a line that looks like one.
  }
  return toPlan(result?.input) ?? PLAN
}

/** `done` of its steps are over, and the next is being done. */
const atStep = ({ title, steps }: Plan, done: number): DemoStep =>
  call('update_plan', {
    title,
    steps: steps.map((step, index) => ({
      text: step.text,
      status: index < done ? 'done' : index === done ? 'active' : 'pending',
    })),
  })

const finalize = (summary: string, outcome: 'done' | 'partly', open: readonly string[]): DemoStep =>
  call('finalize_task', { summary, outcome, ...(open.length > 0 && { open }) })

export const planning: Scene = {
  keywords: ['plan', 'planning', 'make a plan'],
  offer: '**plan**: steps to approve in the mode Plan, and how far I am with them',
  rounds: [
    () => [
      text(
        'This is how I would do it. In the mode **Plan** I wait until you have approved it, with ' +
          'your changes; in the mode **Agent** I begin at once.',
      ),
      call('update_plan', PLAN),
    ],
    (situation) =>
      situation.results.some(isDenied)
        ? [
            text(
              `You did not approve it, so nothing is done. ${situation.results
                .map(({ text: told }) => told.slice(DENIED.length))
                .join(' ')}\n\nTell me what should be different, and I plan again.`,
            ),
          ]
        : [
            text('I begin with the first step.'),
            atStep(readPlan(situation), 0),
            call('countdown', { from: 3, label: 'the top of the stairs' }),
          ],
    (situation) => {
      const plan = readPlan(situation)
      return [
        atStep(plan, plan.steps.length),
        finalize(
          `**${plan.title}** is done:\n\n` + plan.steps.map((step) => `1. ${step.text}\n`).join(''),
          'done',
          [],
        ),
      ]
    },
    () => [text('The plan stands above as it is now, and the end of the task has its own block.')],
  ],
}

export const finishing: Scene = {
  keywords: ['finish a task', 'finalize', 'finalise', 'finish', 'summary of a task'],
  offer: '**finish a task**: how a task ends, with what is left open',
  rounds: [
    () => [
      finalize('The **lamp** is lit and the log is written.\n\n- no ships tonight', 'partly', [
        'The railing has to be painted when it is dry',
        'Somebody should feed the cat',
      ]),
    ],
    () => [text('That block is a call of `finalize_task`: the summary is for you, not for me.')],
  ],
}

// Scenes about files: enough changes for the widget, the diff, undo and restore to be tried.

import {
  call,
  describeResult,
  text,
  type DemoStep,
  type Scene,
  type Situation,
} from './demo-scene.ts'

const CODE = 'src/lighthouse.ts'
const TODO = 'notes/todo.txt'
const LOG = 'notes/log.md'

/** What is edited, as it is first and as it is afterwards; asked again, it goes back. */
const EDITS: readonly (readonly [first: string, then: string])[] = [
  ['const FLASHES = 1', 'const FLASHES = 3\nconst PAUSE_SECONDS = 6'],
  ["  return 'dark'", "  return isFog ? 'horn' : 'dark'"],
  [
    "  console.log('The lamp is lit.')",
    "  console.log(`The lamp is lit, ${hour}:00.`)\n  console.log('Ships can see it.')",
  ],
]

const FIRST_CODE = `// A lighthouse, in as few lines as it takes to have something to change.

${EDITS[0]![0]}

export type Signal = 'flash' | 'dark' | 'horn'

/** What a ship sees in a given second. */
export function signalAt(second: number, isFog: boolean): Signal {
  const phase = second % 10
  if (phase < FLASHES) return 'flash'
${EDITS[1]![0]}
}

/** The keeper climbs up at dusk and comes down at dawn. */
export function isNight(hour: number): boolean {
  return hour < 6 || hour >= 20
}

export function light(hour: number): void {
  if (!isNight(hour)) return
${EDITS[2]![0]}
}
`

const create = (): readonly DemoStep[] => [
  text('The workspace is empty, so I begin with three files.'),
  call('write_file', { path: CODE, content: FIRST_CODE }),
  call('write_file', { path: TODO, content: 'paint the door\noil the clockwork\nfeed the cat\n' }),
  call('write_file', { path: LOG, content: '# Log\n\nWind north-west, force 4.\n' }),
]

function change({ results }: Situation): readonly DemoStep[] {
  const isFirst = results.some((result) => result.text.includes(EDITS[0]![0]))
  const edits = EDITS.map(([first, then]) =>
    isFirst ? { oldText: first, newText: then } : { oldText: then, newText: first },
  )
  return [
    text('The files are there: I edit one in three places, rewrite one and delete one.'),
    call('edit_file', { path: CODE, edits }),
    call('write_file', {
      path: LOG,
      content: `# Log\n\nWind south, force ${isFirst ? 6 : 4}.\nOne ship, no name.\n`,
    }),
    isFirst
      ? call('delete_file', { path: TODO })
      : call('write_file', { path: TODO, content: 'paint the door once more\n' }),
  ]
}

export const fileChanges: Scene = {
  keywords: [
    'change some files',
    'change files',
    'write files',
    'edit files',
    'files',
    'workspace',
  ],
  offer: '**change some files**: written, edited, deleted; keep or undo each of them',
  rounds: [
    () => [text('First I look at what is there.'), call('read_file', { path: CODE })],
    (situation) => (situation.results.some(({ ok }) => ok) ? change(situation) : create()),
    () => [call('bash', { command: 'wc -l src/*.ts notes/*' })],
    ({ results }) => [
      text(
        `Done. A last count:\n\n\`\`\`text\n${results.map(describeResult).join('\n')}\n\`\`\`\n\n` +
          'What I changed stands above the message field: open a file to see its changes, keep or ' +
          'undo one change, one file or all of it. An undo can be undone.',
      ),
    ],
  ],
}

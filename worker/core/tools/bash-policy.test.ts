// What the policy says of a command against what the shell then does with it: random words, put
// together without sense, on files that must not be lost. Prints its seed and command where it fails.

import { beforeAll, describe, expect, test } from 'vitest'
import { MemoryWorkspace } from '../../testing/node/memory-workspace.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { DEFAULT_SENSITIVE_PATTERNS, evaluate, type Policy } from '../policy/policy.ts'
import { reviewOutcome } from '../policy/review.ts'
import { toSensitive } from '../policy/sensitive.ts'
import { SHELL_PROGRAMS } from '../workspace/shell-programs.ts'
import { bashTool } from './bash.ts'
import { loadShell } from '../workspace/shell.ts'

// A busy machine takes longer to load it than a command may take.
beforeAll(loadShell)

const FILES = {
  '.env': 'SECRET=1\n',
  'a.txt': 'one\ntwo\nthree\n',
  'evil.sed': 'w .env\n',
  'evil.awk': 'BEGIN { print "x" > ".env" }\n',
  'src/main.ts': 'export const a = 1\n',
  'src/u.ts': 'x\n',
  'conf.d/x.key': 'key\n',
  'docs/private/p.md': 'private\n',
  'docs/x.md': 'x\n',
  list: '.env\na.txt\n',
  'run.sh': 'cp a.txt .env\n',
  '5': 'five\n',
}

const PATTERNS = [...DEFAULT_SENSITIVE_PATTERNS, 'docs/private']
const CAUTIOUS: Policy = {
  rules: [],
  autoApproveCommands: false,
  autoApproveSensitiveEdits: false,
  sensitivePatterns: PATTERNS,
}
const WILLING: Policy = { ...CAUTIOUS, autoApproveCommands: true, autoApproveSensitiveEdits: true }
const isSensitive = toSensitive(PATTERNS)

const PROGRAMS = [
  ...SHELL_PROGRAMS.filter((name) => name !== 'sleep' && name !== 'help'),
  ...`sed awk sort xargs find env time timeout tee cp mv command exec builtin eval bash source . trap read
    mapfile printf declare export unset set cd pushd let test`.split(/\s+/),
]
/** Half of all commands: those that can write, by what they are or by what they are told. */
const WRITERS =
  `cp mv rm tee touch ln sed sed sort split time xargs find awk rmdir mkdir bash sh . eval command
  exec env timeout`.split(/\s+/)
const SHAPES = [
  'cp A A',
  'mv A A',
  'mv A A && mv A A',
  'cp L A A',
  'mv L A A',
  'sed L A A',
  "sed L A -e '/f/p' A",
  "sed A L -e '/f/p' A",
  "sed -f evil.sed L A -e 's/f/g/' A",
  'sed -i L s/a/b/ A',
  'sort L A L A',
  'sort -o A L A',
  'sort -oA L A',
  'sort A -o A',
  'split -l 1 L A A',
  'split -a 1 -l 1 A A',
  'command time -o A L A',
  'command time L A -o A A',
  'time L A A',
  'xargs L A A < list',
  'xargs L tee A < list',
  'xargs -I % cp a.txt % < list',
  'find A -fprint A L',
  'find A L -exec A A {} \\;',
  'find A -name A -exec time -o A ls \\;',
  'find A -delete',
  'awk \'BEGIN{print A > "A"}\'',
  'awk \'BEGIN{print "}" > A}\'',
  "awk '/A/ { n++ / 2; print A > 5 } END { m = n / 3 }' A",
  'awk L A A',
  'tee L A < A',
  'cat A | tee A',
  'cat A > A',
  'cat A >> A',
  'rm L A',
  'uniq A A',
  'touch L A',
  'cd A; mv A A',
  'for f in A A; do mv $f A; done',
  'x=A; cp A $x',
  'bash -c "cp A A"',
  'eval mv A A',
  'command time L mv echo A',
  'env L mv echo A',
  'xargs L mv echo A < list',
  'timeout L mv echo A',
  'sed -L A A A',
  'awk - A A',
  'bash run.sh',
  '. run.sh',
  'f() { sort -o "$1" A; }; f A',
  'alias c=cp; c A A',
  'mkdir A; mv A A',
  'printf A | sed -f - A',
  'env L A A A',
  'timeout 5 cp A A',
]
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0')
const LONG =
  `--output --output=.env --in-place --in-place=.x --file --file=evil.sed --expression --append
  --recursive --force --delete --exec --null --replace --max-args=1 --arg-file=list --files-from=list -- --reverse
  --target-directory=docs/private --suffix=.env --backup --reference=a.txt --verbose --parents -exec -delete -o -name
  -fprint -i -f -e -t -n`.split(/\s+/)
const OPERANDS = [
  ...`.env a.txt evil.sed evil.awk src conf.d other.d docs docs/private/p.md docs/private list new.txt . s/a/b/ 1 5 {}
    \\; + rm tee cp mv u=w 755 run.sh sh -c sed sort /tmp/q /tmp /dev/null x=1 p xargs env time find bash timeout command
    *.txt .* id_rs`.split(/\s+/),
  "'w .env'",
  `'{print "}" > 5}'`,
  `'BEGIN{print "x" > ".env"}'`,
  "'s/S/x/w .env'",
  "'tee .env'",
  '"$x"',
]
const FRAMES: readonly ((command: string, other: string) => string)[] = [
  (command) => `cat list | ${command}`,
  (command) => `${command} < list`,
  (command, other) => `${command} | ${other}`,
  (command, other) => `${other}; ${command}`,
  (command) => `x=.env; ${command}`,
  (command) => `cd docs && ${command}`,
]

function toCommand(random: RandomSource): string {
  const word = (): string => {
    const kind = random.below(10)
    if (kind < 3) {
      const letters = random.pick(LETTERS) + (random.below(3) === 0 ? random.pick(LETTERS) : '')
      return `-${letters}${random.below(6) === 0 ? random.pick(OPERANDS) : ''}`
    }
    return random.pick(kind < 4 ? LONG : OPERANDS)
  }
  const shaped = (): string =>
    random
      .pick(SHAPES)
      .replaceAll('A', () => random.pick(OPERANDS))
      .replaceAll(/\bL\b/g, () => (random.below(2) === 0 ? '' : word()))
  const soup = (): string =>
    [
      random.pick(random.below(2) === 0 ? PROGRAMS : WRITERS),
      ...Array.from({ length: random.below(6) }, word),
    ].join(' ')
  const simple = (): string => (random.below(2) === 0 ? shaped() : soup())
  const command = simple()
  return random.below(2) === 0 ? command : random.pick(FRAMES)(command, simple())
}

/** Applied as the shell would have it, with nobody looking at it. */
async function changesOf(command: string): Promise<{ path: string; isDelete: boolean }[]> {
  const workspace = await MemoryWorkspace.of(FILES)
  const signal = new AbortController().signal
  try {
    await bashTool.run({ command }, { signal, output: () => {}, now: () => 1e12, workspace })
  } catch {
    // A command that is refused changes nothing, which is what is looked at.
  }
  return workspace.applied.flat().map(({ path, bytes }) => ({ path, isDelete: bytes === null }))
}

describe('random commands', () => {
  const ROUNDS = 300

  test.each(Array.from({ length: 8 }, (_, index) => index + 1))(
    '[DEC3] change nothing where they are said to read, nothing sensitive where they are approved unasked, seed %i',
    async (seed) => {
      const random = new RandomSource(seed)
      let changed = 0
      for (let round = 0; round < ROUNDS; round++) {
        const command = toCommand(random)
        // oxlint-disable-next-line no-await-in-loop
        const changes = await changesOf(command)
        if (changes.length === 0) continue
        changed++
        const action = { kind: 'command', command, cwd: '/workspace' } as const
        // oxlint-disable-next-line no-await-in-loop
        const [cautious, willing] = await Promise.all(
          [CAUTIOUS, WILLING].map((policy) => evaluate(policy, action)),
        )
        const asked = { command, changes, verdict: 'ask' }
        expect({ command, changes, verdict: cautious?.verdict }).toEqual(asked)
        if (willing?.verdict !== 'allow') continue
        const sensitive = changes.filter(({ path }) => isSensitive(path))
        // oxlint-disable-next-line no-await-in-loop
        const review = await reviewOutcome(WILLING, action, 'policy', changes)
        // By its words alone a folder that is called like a file is taken for one.
        if (/conf\.d|other\.d/.test(command) && review.verdict !== 'allow') continue
        expect({ command, sensitive }).toEqual({ command, sensitive: [] })
      }
      expect(changed).toBeGreaterThan(30)
    },
  )
})

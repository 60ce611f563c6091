// Work that the interpreter itself does not count. Most of these took minutes, or all memory.

import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { MemoryWorkspace } from '../../testing/node/memory-workspace.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { ShellBudget } from '../workspace/shell-budget.ts'
import { bashTool } from './bash.ts'
import { ToolFailure } from './tool.ts'
import { loadShell } from '../workspace/shell.ts'

// A busy machine takes longer to load it than a command may take.
beforeAll(loadShell)

/** All units of a command, and what its end may take. */
const MOST_UNITS = 33 * 1024 * 1024 + 1024

const FILES = {
  t: 'a$\n',
  n: '1\n2\n3\n',
  mid: 'a'.repeat(15_000),
  big: 'a'.repeat(200_000),
  words: Array.from({ length: 2000 }, (_, index) => `word${index}`).join('\n'),
}

let paid = 0

beforeEach(() => {
  paid = 0
  const pay = Reflect.get(ShellBudget.prototype, 'pay')
  vi.spyOn(ShellBudget.prototype, 'pay').mockImplementation(function (
    this: ShellBudget,
    units,
    why,
  ) {
    pay.call(this, units, why)
    paid += units
  })
})

afterEach(() => {
  vi.restoreAllMocks()
})

/** The text of the answer, or the words of the failure. */
async function run(command: string, files: Record<string, string> = FILES): Promise<string> {
  const workspace = await MemoryWorkspace.of(files)
  const signal = new AbortController().signal
  try {
    return await bashTool.run({ command }, { signal, output: () => {}, now: () => 0, workspace })
  } catch (error) {
    if (error instanceof ToolFailure) return `${error.code}: ${error.message}`
    throw error
  }
}

/** Each is twice the next: evaluated, the first is the last, a billion times. */
const CHAIN = Array.from({ length: 30 }, (_, at) => `v${at}=v${at + 1}+v${at + 1}`).join('; ')

describe('[FILE2] [SAF2] a dollar that nothing follows, in arithmetic', () => {
  test.each([
    'echo $((a$))',
    "let 'a$'",
    "x='a$'; echo $((x))",
    "x=y; y=z; z='a$'; echo $((x + 1))",
    "x='a$'; echo $(( $x ))",
    "x='$'; echo $((1$x))",
    "x='a$'; echo $[x]",
    'eval "echo \\$((a\\$))"',
    'x=abc; echo ${x:a$:1}',
    "x='a$'; y=abc; echo ${y:x} ${y:0:x}",
    "x='a$'; a[x]=1 || exit 1; echo ${a[x]} 1>&2; exit 1",
    'for i in 1 2; do echo $((i$)); done',
    'f() { (( a$ )); }; f',
    'while (( a$ )); do :; done; exit 1',
    'if ((a$)); then :; fi; exit 1',
    "s='a$'; for ((i=0; i<s; i++)); do :; done",
    'cat <<E\n$((a$))\nE',
    'read x < t; echo $((x))',
    'mapfile -t m < t; echo $((m[0]))',
    'x=$(cat t); echo $((x))',
    "printf -v x 'a$'; ((x))",
    "export x='a$'; bash -c 'echo $((x))'",
    "x='a$'; declare -n r=x; echo $((r))",
    "x='a[$'; echo $((x))",
    "shopt -s expand_aliases; alias z='echo $((a$))'; z",
    "echo 'echo $((a$))' > /tmp/s; source /tmp/s",
    "echo 'echo $((a$))' | bash",
  ])('is an error: %s', async (command) => {
    expect(await run(command)).toMatch(/^exit code 1\n/)
    expect(paid).toBeLessThan(100_000)
  })

  test.each([
    "[[ 'a$' -eq 1 ]]",
    "declare -i y='a$'",
    "typeset -i y; y='a$'",
    "f() { local -i y='a$'; }; f",
    'echo ${a[b$]}',
    "a=(1 2 3); i='b$'; echo ${a[i]} ${a[$i]}",
    'echo $(echo $((a$)))',
    'x=([a$]=1); declare -a x=([b$]=1)',
    "x='a$'; [ $x -eq 1 ]; unset 'a[x]'; [[ -v a[x] ]]",
    "x='a$('; echo $((x)); x='a`'; echo $((x)); x='a${'; echo $((x))",
    '}${x[',
    'eval "}\\${x["',
  ])('comes to an end: %s', async (command) => {
    expect(await run(command)).toMatch(/^exit code \d+\n/)
    expect(paid).toBeLessThan(100_000)
  })
})

describe('[FILE2] [SAF2] work that grows faster than its text is ended', () => {
  test.each([
    ['variables of variables', `${CHAIN}; echo $((v0))`],
    ['brackets in a variable', "x=$(tr a '(' < mid); echo $((x))"],
    ['subscripts in a variable', 'x=$(tr a \'[\' < big); let "$x"'],
    ['commas in a variable', 'x=$(tr a , < big); let "$x"'],
    ['an expression glued in awk', 'awk \'BEGIN { for (;i<16000;i++) p = p "(a?)"; "a" ~ p }\''],
    ['one that doubles in awk', 'awk \'BEGIN { p="x"; for (;i<17;i++) p = p p; "a" ~ p }\''],
    ['one in gsub', 'awk \'BEGIN { p="x"; for (;i<17;i++) p = p p; gsub(p, "b") }\''],
    ['one that grows', 'awk \'BEGIN { for (;i<5000;i++) { p = p "ab"; "aaa" ~ p } }\''],
    ['one in eval', 'x="[[ a =~ $(head -c 30000 big) ]]"; eval "$x"'],
    ['one in jq', 'jq -n --rawfile p big \'"a" | test($p)\''],
    ['one in jq, often', 'jq -n \'"a" * 9000 | . as $p | [range(99) | "a" | test($p)]\''],
    ['a file for grep', 'grep "$(cat mid)" n'],
    ['a file for sed', 'sed "s/$(cat mid)/x/" n'],
    ['a file for find', 'find . -name "$(cat mid)"'],
    ['a file as a separator', 'awk -F"$(cat mid)" \'{ print }\' n'],
    ['a file as a glob', 'shopt -s nullglob; for f in 1 2 3; do echo $(cat mid)*; done'],
    ['classes without an end', 'x=$(sed s/a/[:/g big); PS4="$x"; set -x; :'],
    ['a file to ignore', 'GLOBIGNORE=$(cat mid); echo *'],
  ])('%s', async (_name, command) => {
    expect(await run(command)).toMatch(/^exit code (?:126|1|2)\n[\s\S]*(?:limit|depth|syntax)/)
    expect(paid).toBeLessThan(MOST_UNITS)
  })

  // In one step of the engine, which nothing counts: these would run for minutes.
  test.each([
    ['empty lines', 'x=$(tr a "\\n" < big; echo z); echo "$x" | wc -l; cat "$x" | wc -l'],
    ['slashes', 'dirname "$(tr a / < big)x" | wc -c; basename "$(tr a / < big)x"'],
    ['brackets', 'x=$(tr a "[" < big); declare "$x" 2> /dev/null; ls "$x" 2> /dev/null; echo z'],
    ['digits', 'x=$(tr a 0 < big)_; sleep "$x" 2> /dev/null; echo "$x" | sort -h | wc -c'],
    ['a key of sort', 'sort -k "$(tr a M < big))" n'],
    ['stars', `ls '${'*a'.repeat(30)}b' 2> /dev/null; echo z`],
  ])('the shell takes %s as they are', async (_name, command) => {
    expect(await run(command)).toMatch(/^exit code 0\n/)
  })
})

describe('[FILE2] what people write goes on working', () => {
  test.each([
    ['n=$(wc -l < n); echo $((n+1))', '4'],
    ['for ((i=0;i<10;i++)); do printf $i; done', '0123456789'],
    ['price=\'$5\'; echo "$price"', '$5'],
    ['for ((i=0;i<2;i++)); do echo "costs 5$"; done', 'costs 5$\ncosts 5$'],
    ["awk '{s+=$1} END {print s}' n", '6'],
    ["grep -cE '^word1[0-9]+$' words", '1110'],
    ["sed -E 's/word([0-9]+)/\\1/' words | tail -1", '1999'],
    ['echo $(( (3+4)*2 ** 2 % 7 )) $((0x1f)) $((2#101)) $((1 ? 2 : 3))', '0 31 5 2'],
    ['x=5; echo $(($x+${x}1)); a=(1 2); echo $((a[1] + a[0]))', '56\n3'],
    ['x="  a b  "; echo "[${x##* }]" "${x//b/c}"', '[]   a c  '],
    ['x=$(printf "a\\n\\n\\n"); echo "[$x]"', '[a]'],
    ['dirname a/b//; basename a/b//', 'a\nb'],
    ['seq 1 3 | sort -k1,1nr | tr "\\n" " "', '3 2 1 '],
    ['printf "2K\\n1.5M\\n300\\n" | sort -h | tr "\\n" " "', '300 2K 1.5M '],
    ["echo ab | sed 's/a/$<x>&/'", '$<x>ab'],
  ])('%s', async (command, expected) => {
    expect(await run(command)).toBe(`exit code 0\nno files changed\nstdout:\n${expected}`)
    expect(paid).toBeLessThan(1024 * 1024)
  })
})

const TOKENS =
  '$ $( $(( ${ ) )) } [ ] ( a b x 1 0x 9 + - * ** / % ? : , = == += ++ -- ! ~ < > << & | ^ # @ \' " ` \\ . ; '
const ARITHMETIC = [
  'echo $((x))',
  'echo $(( $x ))',
  'echo $((${x}))',
  'let "$x"',
  'declare -i y="$x"',
  '[[ $x -eq 1 ]]',
  'a=(1 2); echo ${a[x]} ${a[$x]}',
  'y=abc; echo ${y:x:1} ${y:0:$x}',
  'for ((i=x; i<3; i++)); do break; done',
  'eval "echo \\$(($x))"',
  'b=x; a=b; echo $((a + a))',
  'a[$x]=1; ((a[x]++))',
  'printf %d "$x"',
  'bash -c "echo \\$(($x))"',
  'cat <<E\n$(($x))\nE\n',
]
const PATTERN_TOKENS =
  '( ) (?: (?i) [ ] [^ [: :] | * + ? {9} {2,} {99} {1000} \\ \\d \\p{L} . ^ $ a b ab / & @( +( !( - , '
const PATTERNS = [
  'grep -E "$x" n words | head -1',
  'grep -f x n',
  'sed -E "s/$x/y/g" n',
  'awk -v p="$x" \'$0 ~ p { gsub(p, "y") } { print }\' n',
  'awk -v p="$x" \'BEGIN { for (; i < 9; i++) p = p p; print "aab" ~ p }\'',
  'jq -R --arg p "$x" \'[test($p)]\' n',
  '[[ aab =~ $x ]]',
  '[[ aab == $x ]]',
  'y=aab; echo ${y//$x/c} ${y#$x} ${y%%$x}',
  'case aab in $x) echo 1 ;; esac',
  'find . -name "$x"; find . -regex "$x"',
  'expr aab : "$x"',
  'rg "$x" n',
  'eval "[[ aab == $x ]]"',
  'shopt -s extglob; ls $x',
]

const toText = (random: RandomSource, tokens: readonly string[]): string =>
  Array.from({ length: 1 + random.below(12) }, () => random.pick(tokens)).join(
    random.chance(0.2) ? ' ' : '',
  )

test.each([
  ['arithmetic', TOKENS.split(' '), ARITHMETIC],
  ['patterns', PATTERN_TOKENS.split(' '), PATTERNS],
])('[FILE2] [SAF2] whatever a variable holds, %s comes to an end', async (_name, tokens, forms) => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = new RandomSource(seed)
    paid = 0
    const text = toText(random, tokens).repeat(random.chance(0.1) ? 500 : 1)
    const form = random.pick(forms)
    const answer = await run(`read -r x < x; ${form}`, { x: `${text}\n`, n: FILES.n, words: 'aab' })
    const label = `seed ${seed}: ${form}\n${text}\n${answer}`
    expect(answer, label).toMatch(/^exit code \d+\n|^tool_error: /)
    expect(paid, label).toBeLessThan(MOST_UNITS)
  }
})

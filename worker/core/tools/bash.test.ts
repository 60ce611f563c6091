import { TOOL_OUTPUT_BYTES } from '#protocol/limits'
import { utf8Bytes } from '#protocol/text'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { MemoryWorkspace, pathOf } from '../../testing/node/memory-workspace.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { bashTool } from './bash.ts'
import { createRegistry } from './registry.ts'
import { ToolFailure, type ToolContext } from './tool.ts'
import { loadShell } from '../workspace/shell.ts'

// A busy machine takes longer to load it than a command may take.
beforeAll(loadShell)

const NOW = Date.UTC(2026, 7, 22, 22, 3, 7)

const FILES = {
  'a.txt': 'one\ntwo\nthree\n',
  'data.json': '{"items":[{"n":1},{"n":2}]}\n',
  'src/main.ts': 'export const answer = 41\n',
  'src/deep/util.ts': 'export const help = true\n',
}

function contextOf(workspace: MemoryWorkspace, given: Partial<ToolContext> = {}): ToolContext {
  const signal = new AbortController().signal
  return { signal, output: () => {}, now: () => NOW, workspace, ...given }
}

/** The text of the answer, or the code and the words of the failure. */
async function run(workspace: MemoryWorkspace, command: string, cwd?: string): Promise<string> {
  const call = { command, ...(cwd !== undefined && { cwd }) }
  try {
    return await bashTool.run(call, contextOf(workspace))
  } catch (error) {
    if (error instanceof ToolFailure) return `${error.code}: ${error.message}`
    throw error
  }
}

const runOn = async (
  command: string,
  files: Record<string, string | Uint8Array> = FILES,
): Promise<string> => run(await MemoryWorkspace.of(files), command)

afterEach(() => {
  vi.useRealTimers()
})

const printed = (text: string): string => `exit code 0\nno files changed\nstdout:\n${text}`

describe('[FILE2] the usual shell works on the files of the workspace', () => {
  test.each([
    ['a pipe', 'cat a.txt | grep t | sort', 'three\ntwo'],
    ['where it is', 'pwd; cd src && ls', '/workspace\ndeep\nmain.ts'],
    ['a glob', 'echo *.txt src/*.ts', 'a.txt src/main.ts'],
    ['a loop', 'for f in src/*.ts a.txt; do wc -l < "$f"; done', '1\n3'],
    ['lines of a file', 'while read -r l; do echo "[$l]"; done < a.txt', '[one]\n[two]\n[three]'],
    ['a function', 'f() { echo "$1-$2"; }; f a b', 'a-b'],
    ['a here-doc', 'cat <<EOF\n  in $((1 + 1))\nEOF', '  in 2'],
    ['substitution', 'x=$(head -1 a.txt); echo "${x^^} ${#x}"', 'ONE 3'],
    ['arrays', 'a=(x y z); echo "${a[1]} ${#a[@]}"', 'y 3'],
    ['find and xargs', 'find . -name "*.ts" | sort | xargs grep -l help', './src/deep/util.ts'],
    ['sed', "sed -n '2,3p' a.txt", 'two\nthree'],
    ['awk', "awk '{ n += length($0) } END { print NR, n }' a.txt", '3 11'],
    ['jq', "jq '[.items[].n] | add' data.json", '3'],
    ['two files at once', 'comm -12 <(sort a.txt) <(echo two)', 'two'],
    ['a condition', 'x=two; [[ $(cat a.txt) == *"$x"* ]] && echo yes', 'yes'],
    ['a case', 'case a.txt in *.md) echo md;; *.txt) echo txt;; esac', 'txt'],
    ['a newline as a pattern', 'x=$(cat a.txt); n=$\'\\n\'; echo "${x//$n/,}"', 'one,two,three'],
    ['the time of the session', 'date +%FT%T; date -u -d @0 +%Y', '2026-08-22T22:03:07\n1970'],
    ['eval and source', 'echo "v=7" > /tmp/s; source /tmp/s; eval "echo \\$v" \'a  b\'', '7 a b'],
    ['a script in a file', 'echo "echo hi \\$1" > /tmp/s; bash /tmp/s you', 'hi you'],
    ['nothing kept of /tmp', 'echo x > /tmp/f; cat /tmp/f', 'x'],
    ['nothing kept of /dev/null', 'echo x > /dev/null; cat /dev/null', ''],
  ])('%s', async (_name, command, expected) => {
    const text = expected === '' ? 'exit code 0\nno files changed' : printed(expected)
    expect(await runOn(command)).toBe(text)
  })

  test('a folder to run in, and one that is not there', async () => {
    const workspace = await MemoryWorkspace.of(FILES)
    expect(await run(workspace, 'pwd; ls', 'src')).toBe(printed('/workspace/src\ndeep\nmain.ts'))
    expect(await run(workspace, 'pwd', '../x')).toMatch(/^tool_invalid_input: .*leads out/)
    expect(await run(workspace, 'pwd', 'nowhere')).toBe(
      'tool_invalid_input: There is no folder nowhere.',
    )
  })

  test('an exit code is a result, with what went to both streams', async () => {
    expect(await runOn('echo out; echo err >&2; exit 3')).toBe(
      'exit code 3\nno files changed\nstdout:\nout\nstderr:\nerr',
    )
    expect(await runOn('cat nope')).toMatch(/^exit code 1\n[\s\S]*cat: nope: No such file/)
    expect(await runOn('if then fi')).toMatch(/^exit code 2\n[\s\S]*syntax error/)
    expect(await runOn('nosuchthing')).toMatch(/^exit code 127\n/)
  })

  test('people are given the output at the end, by stream', async () => {
    const seen: [string, string | undefined][] = []
    const output: ToolContext['output'] = (text, stream) => seen.push([text, stream])
    const workspace = await MemoryWorkspace.of(FILES)
    await bashTool.run({ command: 'echo a; echo b >&2; echo c' }, contextOf(workspace, { output }))
    expect(seen).toEqual([
      ['a\nc\n', 'stdout'],
      ['b\n', 'stderr'],
    ])
  })
})

describe('[FILE2] what a command changes', () => {
  test('is applied once, as one change, and told', async () => {
    const workspace = await MemoryWorkspace.of(FILES)
    const answer = await run(
      workspace,
      'echo four >> a.txt; sed -i s/41/42/ src/main.ts; mv src/deep/util.ts lib.ts; rm data.json; ' +
        'mkdir -p new/empty; echo x > new/made/f.txt; cp a.txt copy.txt',
    )
    expect(answer).toBe(
      [
        'exit code 0',
        '6 files changed:',
        'modified a.txt',
        'created copy.txt',
        'deleted data.json',
        'moved src/deep/util.ts to lib.ts',
        'created new/made/f.txt',
        'modified src/main.ts',
      ].join('\n'),
    )
    expect(workspace.applied).toHaveLength(1)
    expect(workspace.list().map(({ path }) => path)).toEqual([
      'a.txt',
      'copy.txt',
      'lib.ts',
      'new/made/f.txt',
      'src/main.ts',
    ])
    expect(workspace.text('a.txt')).toBe('one\ntwo\nthree\nfour\n')
    expect(workspace.text('copy.txt')).toBe('one\ntwo\nthree\nfour\n')
    expect(workspace.text('src/main.ts')).toBe('export const answer = 42\n')
    expect(workspace.text('lib.ts')).toBe('export const help = true\n')
  })

  test('a content that is the same again is no change', async () => {
    const workspace = await MemoryWorkspace.of(FILES)
    const answer = await run(workspace, 'cat a.txt > /tmp/x; cp /tmp/x a.txt; touch src/main.ts')
    expect(answer).toBe('exit code 0\nno files changed')
    expect(workspace.applied).toEqual([])
  })

  test('a folder moves with everything in it', async () => {
    const workspace = await MemoryWorkspace.of(FILES)
    expect(await run(workspace, 'mv src code')).toContain(
      'moved src/deep/util.ts to code/deep/util.ts\nmoved src/main.ts to code/main.ts',
    )
    expect(workspace.text('code/main.ts')).toBe(FILES['src/main.ts'])
    expect(workspace.text('src/main.ts')).toBeNull()
  })

  test('bytes that are no text stay as they are', async () => {
    const bytes = Uint8Array.from({ length: 1024 }, (_, index) => (index * 7) % 256)
    const workspace = await MemoryWorkspace.of({ 'picture.png': bytes })
    await run(workspace, 'cp picture.png b.png; cat picture.png > c.png; base64 picture.png > t')
    await run(workspace, 'base64 -d t > d.png')
    for (const name of ['b.png', 'c.png', 'd.png']) {
      expect(await workspace.read(pathOf(name)), name).toEqual(bytes)
    }
  })

  test('is kept where a command fails, or a limit ends it', async () => {
    const workspace = await MemoryWorkspace.of(FILES)
    await run(workspace, 'echo 1 > first; false')
    const answer = await run(workspace, 'echo 2 > second; while :; do :; done; echo 3 > third')
    expect(answer).toMatch(/^exit code 126\n1 file changed:\ncreated second\n/)
    expect(workspace.text('first')).toBe('1\n')
    expect(workspace.text('third')).toBeNull()
  })

  test('the list of many is cut, the changes are not', async () => {
    const workspace = await MemoryWorkspace.of({})
    const answer = await run(workspace, 'for i in $(seq 1 200); do echo $i > f$i.txt; done')
    expect(answer).toContain('200 files changed:')
    expect(answer).toContain('… and 150 more')
    expect(workspace.list()).toHaveLength(200)
  })
})

/** A workspace that says when it was read, and hands over what was read when it is opened. */
async function gatedWorkspace() {
  const workspace = await MemoryWorkspace.of(FILES)
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const read = workspace.read.bind(workspace)
  workspace.read = async (path) => {
    const bytes = await read(path)
    reached.resolve()
    await gate.promise
    return bytes
  }
  return { workspace, reached: reached.promise, open: gate.resolve }
}

describe('[TOOL3] a command that does not come to its end', () => {
  test('applies nothing where it was cancelled', async () => {
    const { workspace, reached, open } = await gatedWorkspace()
    const controller = new AbortController()
    const context = contextOf(workspace, { signal: controller.signal })
    const done = bashTool.run({ command: 'echo x > new; cat a.txt; echo y > new2' }, context)
    await reached
    controller.abort(new Error('stopped'))
    open()
    await expect(done).rejects.toThrow('stopped')
    expect(workspace.applied).toEqual([])
  })

  test('is interrupted for the run at once, and still applies nothing', async () => {
    const { workspace, reached, open } = await gatedWorkspace()
    const controller = new AbortController()
    const prepared = createRegistry([bashTool]).prepare({
      callId: 'c',
      toolName: 'bash',
      arguments: JSON.stringify({ command: 'echo x > new; cat a.txt' }),
    })
    if (prepared.do !== 'run') throw new Error('not run')
    const done = prepared.run(contextOf(workspace, { signal: controller.signal }))
    await reached
    controller.abort(new Error('stopped'))
    expect(await done).toMatchObject({ ok: false, error: { code: 'tool_interrupted' } })
    open()
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(workspace.applied).toEqual([])
  })

  test('a cancel gets through to a loop that only computes', async () => {
    const workspace = await MemoryWorkspace.of({ x: 'a'.repeat(100_000) })
    const controller = new AbortController()
    const context = contextOf(workspace, { signal: controller.signal })
    const command = 'x=$(cat x); while [[ $x != *b*b ]]; do :; done; echo done > done'
    const done = bashTool.run({ command }, context)
    setTimeout(() => controller.abort(new Error('stopped')), 0)
    await expect(done).rejects.toThrow('stopped')
    expect(workspace.applied).toEqual([])
  })

  test('is told that its time is over, and that nothing was changed', async () => {
    vi.useFakeTimers()
    const workspace = await MemoryWorkspace.of(FILES)
    const done = run(workspace, 'echo x > new; sleep 1000')
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await done).toBe(
      'tool_timeout: The command ran longer than 20 s and was stopped. Nothing was changed.',
    )
    expect(workspace.applied).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is offered as what it is: not repeatable, not for reading alone, judged as a command', () => {
    const { repeatable, readOnly, action } = bashTool
    expect({ repeatable, readOnly }).toEqual({ repeatable: false, readOnly: false })
    expect(action?.({ command: 'ls', cwd: 'src' })).toEqual({
      kind: 'command',
      command: 'ls',
      cwd: '/workspace/src',
    })
  })
})

describe('[FILE2] [SAF2] a limit ends what would not end', () => {
  const long = 'a'.repeat(200_000)
  test.each([
    ['an endless loop', 'while :; do :; done'],
    ['an endless for', 'for ((;;)); do x=1; done'],
    ['a recursive function', 'f() { f; }; f'],
    ['a fork bomb', ':(){ :|:& };:'],
    ['a shell in a shell', 'x="bash -c \\"\\$x\\""; export x; eval "$x"'],
    ['numbers without end', 'seq 1 1000000000'],
    ['braces without end', 'echo {1..1000000000}'],
    [
      'nested braces',
      'echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}',
    ],
    ['a wide format', 'printf %1000000000d 1'],
    ['a variable that doubles', 'x=a; while :; do x=$x$x; done'],
    ['a file that doubles', 'cp x y; while :; do cat y y > z; mv z y; done'],
    ['output that doubles', 'cat x x x x x x x x x x | cat - x x x x x x x x x x | wc -c'],
    ['a loop in awk', "awk 'BEGIN { while (1) {} }'"],
    ['loops in a loop in awk', "awk 'BEGIN { for (;i<9999;i++) for (j=0;j<9999;j++); }'"],
    ['recursion in awk', "awk 'function f(n) { return f(n + 1) } BEGIN { f(1) }'"],
    ['a text that doubles in awk', 'awk \'BEGIN { x = "a"; while (1) x = x x }\''],
    ['a loop in sed', "echo a | sed ':a;s/a/a/;ta'"],
    ['a range in jq', "jq -n '[range(1000000000)] | length'"],
    ['recursion in jq', "jq -n 'def f: f; f'"],
    ['ranges in ranges in jq', "jq -n '[range(9999) | range(9999)] | length'"],
    ['an expression that is a product', "grep -E '(a?){1000}c' < x"],
    ['the same with another input', 'v=$(cat x); grep -E "(a?){1000}c" <<< "$v"'],
    ['the same from a file', 'echo "(a?){1000}c" > p; cat x x | grep -E -f p'],
    ['the same in a pipe', "{ cat x; echo; } | sed -E 's/(a?){1000}c//'"],
    ['a script that cannot be parsed in time', 'v=$(cat y); eval "$v"'],
    ['the same in a shell of its own', 'bash -c "$(cat y)"'],
    ['the same in a file', 'cp y s.sh; source s.sh'],
    ['the same in its input', 'cat y | bash'],
    ['a file as a pattern', 'x=$(cat x); [[ a == $x ]]'],
    ['a file as a pattern to replace', 'x=$(cat x); echo "${x//$x/b}"'],
    ['a file as a case', 'x=$(cat x); case a in $x) ;; esac'],
    ['a large pattern as it is written', `[[ a =~ ${'(a?){90}'.repeat(9)} ]]`],
    ['a match again and again', 'x=$(cat x); while [[ $x != *b*b*b ]]; do :; done'],
    ['an expansion again and again', 'x=$(cat x); while :; do y=${x:9:9}; done'],
    ['a difference of long files', 'seq 1 2000 > p; seq 9000 11000 > q; diff p q'],
    ['folders without end', 'while :; do mkdir d; cd d; done'],
  ])('%s', async (_name, command) => {
    const answer = await runOn(command, { x: long, y: '$('.repeat(16_000) })
    expect(answer).toMatch(/^exit code (?:126|1)\n/)
    expect(answer).toMatch(/limit|exceeded|too many|recursion/)
  })

  test('others get their turn while a command is at work', async () => {
    let turns = 0
    let isOver = false
    const turn = (): void => {
      turns++
      if (!isOver) setTimeout(turn, 0)
    }
    setTimeout(turn, 0)
    await runOn('x=$(cat x); while [[ $x != *b*b*b ]]; do :; done', { x: long })
    isOver = true
    expect(turns).toBeGreaterThan(20)
  })

  test('backtracking has nothing to gain: the expression is matched in linear time', async () => {
    const line = `${'a'.repeat(5000)}b\n`
    expect(
      await runOn("grep -cE '^(a+)+$' x; [[ $(cat x) =~ ^(a|a)*$ ]]; echo $?", { x: line }),
    ).toContain('stdout:\n0\n1')
  })

  test('a file that is too large for a program is named, and the others are read', async () => {
    const answer = await runOn("grep -rlE 'o(n|m){1,90}e?' .", { 'a.txt': 'one\n', big: long })
    expect(answer).toContain('stdout:\na.txt')
    expect(answer).toContain('/workspace/big: too large for this program')
  })

  test('much output reaches the model as its start and its end', async () => {
    const answer = await runOn('seq 1 40000; seq 1 40000 >&2')
    expect(utf8Bytes(answer)).toBeLessThan(TOOL_OUTPUT_BYTES)
    expect(answer).toContain('stdout:\n1\n2\n3\n')
    expect(answer).toMatch(/\[… \d+ bytes left out …\]/)
    expect(answer).toContain('39999\n40000\nstderr:\n1\n2\n')
    expect(answer.endsWith('\n40000')).toBe(true)
  })

  test('gigabytes of output are ended', async () => {
    const answer = await runOn('while :; do cat x; done', { x: long })
    expect(answer).toMatch(/^exit code 126\n[\s\S]*output size exceeded/)
    expect(utf8Bytes(answer)).toBeLessThan(TOOL_OUTPUT_BYTES)
  })

  test('a file, all files and their number are bounded', async () => {
    const mib = new Uint8Array(1024 * 1024)
    const large = await MemoryWorkspace.of({ m: mib })
    const grow = 'cp m a; for i in 1 2 3 4; do cp a b; cat b >> a; done'
    expect(await run(large, `${grow}; ls -l a`)).toMatch(/limit|EFBIG|exceeded/)
    const copies = 'for i in $(seq 1 40); do cp m m$i || exit 9; done'
    expect(await run(large, copies)).toMatch(/^exit code 9\n[\s\S]*can write/)
    const many = await MemoryWorkspace.of({})
    const touch = 'for i in $(seq 1 2100); do touch f$i || exit 9; done'
    expect(await run(many, touch)).toMatch(/^exit code 9\n[\s\S]*no more than 2000 files/)
    expect(many.list()).toHaveLength(2000)
  })

  test('a command that is too long or too nested is not run', async () => {
    const schema = bashTool.input
    expect(schema.safeParse({ command: 'x'.repeat(32 * 1024 + 1) }).success).toBe(false)
    expect(schema.safeParse({ command: 'ä'.repeat(20 * 1024) }).success).toBe(false)
    expect(schema.safeParse({ command: '' }).success).toBe(false)
    expect(schema.safeParse({ command: 'ls', user: 'root' }).success).toBe(false)
    expect(await runOn('$('.repeat(16_000))).toBe(
      'tool_error: The command was not run: it is too complex.',
    )
  })
})

describe('[FILE2] [SAF2] nothing leads out', () => {
  test.each([
    ['cat /etc/passwd', /No such file/],
    ['cat ../../../../etc/passwd', /No such file/],
    ['cat /proc/self/environ /proc/1/status', /No such file/],
    ['echo x > /etc/passwd', /read-only/],
    ['echo x > ../outside', /read-only/],
    ['echo x > /bin/ls', /read-only/],
    ['cp a.txt /usr/lib', /read-only/],
    ['mv a.txt /', /read-only/],
    ['mkdir /home', /read-only/],
    ['ln -s /etc link; cat link/passwd', /links are not supported/],
    ['ln -s ../.. link; ls link', /links are not supported/],
    ['ln a.txt link', /links are not supported/],
    ["echo x > $'bad\\x01name'", /control character/],
    ['echo x > "a\\\\b"', /backslash/],
    ['echo x > CON', /reserves/],
    ['echo x > A.TXT', /upper and lower case/],
    ['echo x > a.txt/b', /not a directory|is a file|ENOTDIR/i],
    ['curl http://127.0.0.1/', /command not found/],
    ['wget x; node x; python3 x; sqlite3 x; js-exec x; tar x; gzip x', /sqlite3: command not/],
  ])('%s', async (command, expected) => {
    const workspace = await MemoryWorkspace.of(FILES)
    expect(await run(workspace, command)).toMatch(expected)
    expect(workspace.applied).toEqual([])
  })

  test('rm of everything above the files removes nothing, rm of the files does', async () => {
    const workspace = await MemoryWorkspace.of(FILES)
    await run(workspace, 'rm -rf / /workspace .. /bin; rm -rf --no-preserve-root /')
    expect(workspace.applied).toEqual([])
    expect(await run(workspace, 'cd /; ls /bin | wc -l; rm -rf /workspace/*')).toContain('4 files')
    expect(workspace.list()).toEqual([])
  })

  test('the environment is small and always the same', async () => {
    const answer = await runOn('env | sort | cut -d= -f1')
    expect(answer.split('\n').slice(3).filter(Boolean).join(' ')).toBe(
      'BASHOPTS HOME HOSTNAME HOSTTYPE IFS LANG LC_ALL MACHTYPE OLDPWD OPTIND OSTYPE PATH PWD ' +
        'SHELLOPTS TMPDIR TZ USER',
    )
  })

  test('a script cannot switch the checks of patterns off', async () => {
    const command =
      '__check_pattern() { :; }; PATH=; x=$(/bin/cat k); [[ a == $x ]]; echo "not reached"'
    expect(await runOn(command, { k: 'a'.repeat(20_000) })).toMatch(
      /^exit code 126\n(?![\s\S]*not reached)[\s\S]*pattern is too large/,
    )
  })
})

describe('[FILE2] two commands at the same time', () => {
  test('on different files lose none', async () => {
    const workspace = await MemoryWorkspace.of(FILES)
    await Promise.all([
      run(workspace, 'for i in $(seq 1 50); do echo $i > left$i; done; rm a.txt'),
      run(workspace, 'for i in $(seq 1 50); do echo $i > right$i; done; echo x >> data.json'),
    ])
    const paths = workspace.list().map(({ path }) => path)
    expect(paths.filter((path) => /^(?:left|right)/.test(path))).toHaveLength(100)
    expect(workspace.text('a.txt')).toBeNull()
    expect(workspace.text('data.json')).toBe(`${FILES['data.json']}x\n`)
    expect(workspace.applied).toHaveLength(2)
  })

  test('that both overwrite a file leave the later one', async () => {
    const workspace = await MemoryWorkspace.of(FILES)
    await Promise.all([run(workspace, 'echo 1 > new'), run(workspace, 'echo 2 > new')])
    expect(['1\n', '2\n']).toContain(workspace.text('new'))
  })

  test('an edit made of an older content does not take another one away', async () => {
    const { workspace, reached, open } = await gatedWorkspace()
    const edit = run(workspace, 'echo x > other; sed -i s/one/ONE/ a.txt')
    await reached
    await workspace.apply([{ path: pathOf('a.txt'), bytes: new TextEncoder().encode('person\n') }])
    open()
    expect(await edit).toBe('tool_error: a.txt was changed by somebody else in the meantime.')
    expect(workspace.text('a.txt')).toBe('person\n')
    expect(workspace.text('other')).toBeNull()
  })
})

const WORDS = 'a b.txt src src/c * $x "$x" ../x /etc/x /tmp/t -r .'.split(' ')
const PARTS = [
  'echo W W > W; cat W; cp W W; mv W W; rm W; rm -rf W; mkdir -p W; touch W; x=W; echo W >> W',
  'W; cd W; ln -s W W; set -e; exit 3; sed -i s/a/b/ W; find W -name W; cat <<< W; split -l 1 W W',
]
  .flatMap((line) => line.split('; '))
  .concat(
    'for x in W W; do P; done',
    'while read -r x; do P; done < W',
    'if [[ W == W ]]; then P; else P; fi',
    'case W in W) P;; esac',
    'f() { P; }; f',
    '(P; P)',
    '{ P; P; } > W',
    'P | cat',
    'P && P',
    'P || P',
    '! P',
    'P &',
    'x=$(P)',
    'eval "P"',
    'bash -c "P"',
    'echo W | xargs touch',
    '((x++))',
    "cat <<'EOF' > W\nW\nEOF\n",
  )

function toScript(random: RandomSource, depth: number): string {
  const part = depth > 4 ? 'echo W' : random.pick(PARTS)
  return part
    .replace(/\bP\b/g, () => toScript(random, depth + 1))
    .replace(/\bW\b/g, () => random.pick(WORDS))
}

test('[FILE2] [SAF2] whatever the script, it ends as a result, and only what is told has changed', async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = new RandomSource(seed)
    const script = Array.from({ length: 6 }, () => toScript(random, 0)).join('\n')
    const workspace = await MemoryWorkspace.of({ a: '1\n', 'b.txt': 'a\nb\n', 'src/c': 'c' })
    const snapshot = () => new Map(workspace.list().map(({ path, hash }) => [path as string, hash]))
    const before = snapshot()
    const answer = await run(workspace, script)
    const after = snapshot()
    const told = answer.match(/^(?:created|modified|deleted|moved) .*$/gm) ?? []
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    )
    const named = told.flatMap((line) => line.replace(/^\w+ /, '').split(' to ')).sort()
    const label = `seed ${seed}:\n${script}\n${answer}`
    expect(answer, label).toMatch(/^exit code \d+\n|^tool_error: The command was not run/)
    expect([...new Set(named)], label).toEqual(changed.sort())
    expect(workspace.applied.length, label).toBe(changed.length > 0 ? 1 : 0)
  }
})

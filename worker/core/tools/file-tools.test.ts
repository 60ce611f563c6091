import { TOOL_OUTPUT_BYTES } from '#protocol/limits'
import { utf8Bytes } from '#protocol/text'
import { describe, expect, test } from 'vitest'
import { MemoryWorkspace, pathOf } from '../../testing/node/memory-workspace.ts'
import { toBytes } from '../workspace/lines.ts'
import { FILE_TOOLS } from './file-tools.ts'
import { ToolFailure } from './tool.ts'

function toolOf(name: string) {
  const tool = FILE_TOOLS.find((one) => one.name === name)
  if (tool?.input === undefined) throw new Error(`no tool ${name}`)
  return { tool, parse: (input: unknown) => tool.input.parse(input) as never }
}

/** The text of its answer, or the code and the words of its failure. */
async function run(
  workspace: MemoryWorkspace,
  name: string,
  input: unknown,
  approvedDiff?: string,
): Promise<string> {
  const { tool, parse } = toolOf(name)
  const context = {
    signal: new AbortController().signal,
    output: () => {},
    now: () => 0,
    workspace,
    ...(approvedDiff === undefined ? {} : { approvedDiff }),
  }
  try {
    return await tool.run(parse(input), context)
  } catch (error) {
    if (error instanceof ToolFailure) return `${error.code}: ${error.message}`
    throw error
  }
}

const preview = async (workspace: MemoryWorkspace, name: string, input: unknown) => {
  const { tool, parse } = toolOf(name)
  return (await tool.preview?.(parse(input), workspace))?.diff
}

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

test('[TOOL8] [DEC7] reading tools can be repeated and change nothing, writing ones say that they do', () => {
  const flags = FILE_TOOLS.map(({ name, readOnly, repeatable }) => [name, readOnly, repeatable])
  expect(flags).toEqual([
    ['list_files', true, true],
    ['read_file', true, true],
    ['search_files', true, true],
    ['write_file', false, false],
    ['edit_file', false, false],
    ['move_file', false, false],
    ['delete_file', false, false],
  ])
})

describe('[TOOL8] [SAF2] a path that leads elsewhere', () => {
  test.each([
    ['read_file', { path: '../x' }],
    ['list_files', { path: '../x' }],
    ['search_files', { pattern: 'x', path: '/etc' }],
    ['write_file', { path: '/etc/passwd', content: 'x' }],
    ['edit_file', { path: 'a/../../x', edits: [{ oldText: 'a', newText: 'b' }] }],
    ['delete_file', { path: '..' }],
    ['move_file', { from: 'a', to: '../x' }],
    ['move_file', { from: '../a', to: 'x' }],
  ])('%s %j is refused and changes nothing', async (name, input) => {
    const workspace = await MemoryWorkspace.of({ a: 'a' })
    expect(await run(workspace, name, input)).toMatch(/^tool_invalid_input: .*leads out of/)
    expect(workspace.applied).toEqual([])
    if (name !== 'move_file') expect(await preview(workspace, name, input)).toBeUndefined()
  })
})

describe('[FILE1] read_file', () => {
  test('numbers the lines, and gives the range that is asked for', async () => {
    const workspace = await MemoryWorkspace.of({ 'a.txt': 'one\r\ntwo\r\nthree' })
    expect(await run(workspace, 'read_file', { path: 'a.txt' })).toBe(
      'a.txt (3 lines, 15 bytes)\n\n1\tone\n2\ttwo\n3\tthree',
    )
    expect(await run(workspace, 'read_file', { path: './a.txt', startLine: 2, endLine: 2 })).toBe(
      'a.txt (3 lines, 15 bytes)\nLines 2 to 2.\n\n2\ttwo',
    )
    expect(await run(workspace, 'read_file', { path: 'a.txt', startLine: 9 })).toBe(
      'tool_error: a.txt has 3 lines; there is no 9.',
    )
    expect(await run(workspace, 'read_file', { path: 'a.txt', startLine: 2, endLine: 1 })).toBe(
      'tool_invalid_input: endLine is before startLine.',
    )
  })

  test('is bounded in lines and bytes, says where to go on, and reaches the end that way', async () => {
    const text = lines(5000) + `${'x'.repeat(5000)}\n`.repeat(100)
    const workspace = await MemoryWorkspace.of({ a: text })
    const seen: string[] = []
    for (let startLine: number | undefined = 1; startLine !== undefined;) {
      const shown = await run(workspace, 'read_file', { path: 'a', startLine })
      expect(utf8Bytes(shown)).toBeLessThanOrEqual(TOOL_OUTPUT_BYTES)
      seen.push(
        ...shown
          .split('\n\n')[1]!
          .split('\n')
          .map((line) => line.split('\t')[0]!),
      )
      const next = /go on with startLine (\d+)/.exec(shown)?.[1]
      startLine = next === undefined ? undefined : Number(next)
    }
    expect(seen).toEqual(Array.from({ length: 5100 }, (_, index) => String(index + 1)))
  })

  test('describes what is no text, empty, a folder, or not there', async () => {
    const workspace = await MemoryWorkspace.of({
      'src/a.ts': 'x',
      empty: '',
      'p.png': Uint8Array.of(0, 1),
    })
    expect(await run(workspace, 'read_file', { path: 'p.png' })).toBe('p.png is not text: 2 bytes.')
    expect(await run(workspace, 'read_file', { path: 'empty' })).toBe('empty is empty.')
    expect(await run(workspace, 'read_file', { path: 'src' })).toContain('src is a folder')
    expect(await run(workspace, 'read_file', { path: 'lib/A.ts' })).toBe(
      'tool_error: There is no file lib/A.ts. There is src/a.ts.',
    )
  })
})

describe('[FILE1] write_file', () => {
  test('creates and replaces, and says what changed', async () => {
    const workspace = await MemoryWorkspace.of({})
    expect(await run(workspace, 'write_file', { path: 'a/b.txt', content: 'x\n' })).toBe(
      'Created a/b.txt (2 bytes; 1 line added, 0 removed).',
    )
    expect(await run(workspace, 'write_file', { path: 'a/b.txt', content: 'y\nz\n' })).toBe(
      'Wrote a/b.txt (4 bytes; 2 lines added, 1 removed).',
    )
    expect(await run(workspace, 'write_file', { path: 'a/b.txt', content: 'y\nz\n' })).toBe(
      'a/b.txt already has this content.',
    )
    expect(workspace.text('a/b.txt')).toBe('y\nz\n')
    expect(workspace.applied).toHaveLength(2)
  })

  test('[DEC1] shows a person what it would change', async () => {
    const workspace = await MemoryWorkspace.of({ a: 'x\n' })
    expect(await preview(workspace, 'write_file', { path: 'a', content: 'y\n' })).toBe(
      '--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-x\n+y',
    )
    expect(toolOf('write_file').tool.action?.({ path: './.env', content: '' } as never)).toEqual({
      kind: 'file_edit',
      path: '.env',
      change: 'modify',
    })
    expect(workspace.applied).toEqual([])
  })

  test('[SAF2] does not put a file where a folder is, nor beside one of another case', async () => {
    const workspace = await MemoryWorkspace.of({ 'src/a.ts': 'x' })
    expect(await run(workspace, 'write_file', { path: 'src', content: '' })).toContain(
      'is a folder',
    )
    expect(await run(workspace, 'write_file', { path: 'src/a.ts/b', content: '' })).toContain(
      'is a file',
    )
    expect(await run(workspace, 'write_file', { path: 'SRC/b', content: '' })).toContain('Use that')
    expect(workspace.applied).toEqual([])
  })
})

const edit = (path: string, ...pairs: [string, string][]) => ({
  path,
  edits: pairs.map(([oldText, newText]) => ({ oldText, newText })),
})

describe('[FILE1] edit_file', () => {
  test('edits, and says so when it had to be tolerant', async () => {
    const workspace = await MemoryWorkspace.of({ a: '  one\r\n  two\r\n' })
    expect(await run(workspace, 'edit_file', edit('a', ['one', '1']))).toBe(
      'Edited a (1 line added, 1 removed).',
    )
    expect(await run(workspace, 'edit_file', edit('a', ['1\ntwo\n', '2\n']))).toContain(
      'which has kept its own',
    )
    expect(workspace.text('a')).toBe('  2\r\n')
  })

  test('makes no edit where one fails, or where the file is no text', async () => {
    const workspace = await MemoryWorkspace.of({ a: 'one\n', b: Uint8Array.of(0) })
    expect(await run(workspace, 'edit_file', edit('a', ['one', '1'], ['two', '2']))).toContain(
      'tool_error: a: Edit 2 of 2: oldText is not in the file.',
    )
    expect(await run(workspace, 'edit_file', edit('b', ['a', 'b']))).toContain('is not text')
    expect(await run(workspace, 'edit_file', edit('c', ['a', 'b']))).toContain('There is no file c')
    expect(workspace.applied).toEqual([])
    expect(await preview(workspace, 'edit_file', edit('a', ['two', '2']))).toBeUndefined()
  })

  test('[TOOL4] edits of one file that are made at the same time are all made', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `name${index};`)
    const workspace = await MemoryWorkspace.of({ a: names.join('\n') })
    const results = await Promise.all(
      names.map((name) => run(workspace, 'edit_file', edit('a', [name, `${name}!`]))),
    )
    expect(new Set(results)).toEqual(new Set(['Edited a (1 line added, 1 removed).']))
    expect(workspace.text('a')).toBe(names.map((name) => `${name}!`).join('\n'))
  })
})

describe('[FILE1] list_files', () => {
  const files = { 'README.md': 'x', 'src/a.ts': 'xx', 'src/deep/b.ts': 'xxx', 'src/deep/c.ts': 'x' }

  test('lists whole paths with sizes, by folder, glob and depth', async () => {
    const workspace = await MemoryWorkspace.of(files)
    expect(await run(workspace, 'list_files', {})).toBe(
      '4 files, 7 bytes\nREADME.md\t1 byte\nsrc/a.ts\t2 bytes\nsrc/deep/b.ts\t3 bytes\nsrc/deep/c.ts\t1 byte',
    )
    expect(await run(workspace, 'list_files', { depth: 1 })).toBe(
      '4 files, 7 bytes\nREADME.md\t1 byte\nsrc/\t3 files, 6 bytes',
    )
    expect(await run(workspace, 'list_files', { path: '/workspace/src/', depth: 1 })).toBe(
      '3 files, 6 bytes\nsrc/a.ts\t2 bytes\nsrc/deep/\t2 files, 4 bytes',
    )
    expect(await run(workspace, 'list_files', { glob: '*.md' })).toContain('README.md')
    expect(await run(workspace, 'list_files', { glob: '*.py' })).toBe('No files.')
    expect(await run(workspace, 'list_files', { glob: '[' })).toContain('tool_invalid_input')
    expect(await run(workspace, 'list_files', { path: 'lib' })).toContain('no folder lib')
    expect(await run(workspace, 'list_files', { path: 'README.md' })).toContain('is a file')
    expect(await run(await MemoryWorkspace.of({}), 'list_files', {})).toContain('is empty')
  })

  test('[SAF2] is bounded', async () => {
    const many = Array.from({ length: 600 }, (_, index) => [`f${index}`, 'x'] as const)
    const shown = await run(await MemoryWorkspace.of(Object.fromEntries(many)), 'list_files', {})
    expect(shown.split('\n')).toHaveLength(502)
    expect(shown).toContain('… and 100 more')
  })
})

describe('[FILE1] search_files', () => {
  test('gives place and line, or the lines around it', async () => {
    const workspace = await MemoryWorkspace.of({ a: 'one\ntwo\nthree\n', b: Uint8Array.of(0) })
    expect(await run(workspace, 'search_files', { pattern: 't[wh]' })).toBe(
      '2 matches in 1 file searched; 1 not text\na:2: two\na:3: three',
    )
    expect(await run(workspace, 'search_files', { pattern: 'two', context: 1 })).toBe(
      '1 match in 1 file searched; 1 not text\n\na\n  1\tone\n> 2\ttwo\n  3\tthree',
    )
    expect(await run(workspace, 'search_files', { pattern: 'x' })).toContain('0 matches')
    expect(await run(workspace, 'search_files', { pattern: '(?=x)' })).toMatch(
      /^tool_invalid_input: .*Lookahead/,
    )
    expect(
      await run(workspace, 'search_files', { pattern: 'T', maxMatches: 1, ignoreCase: true }),
    ).toContain('There are more')
  })
})

describe('[FILE1] delete_file and move_file', () => {
  test('delete what is there, and nothing else', async () => {
    const workspace = await MemoryWorkspace.of({ 'a/b': 'x\n' })
    expect(await preview(workspace, 'delete_file', { path: 'a/b' })).toContain('+++ /dev/null')
    expect(await run(workspace, 'delete_file', { path: 'a' })).toContain('a is a folder')
    expect(await run(workspace, 'delete_file', { path: 'a/b' })).toBe('Deleted a/b.')
    expect(await run(workspace, 'delete_file', { path: 'a/b' })).toContain('There is no file a/b')
    expect(workspace.list()).toEqual([])
  })

  test('move keeps every byte, overwrites nothing, and can change the case of a name', async () => {
    const workspace = await MemoryWorkspace.of({ a: 'x', b: 'y' })
    expect(await run(workspace, 'move_file', { from: 'a', to: 'b' })).toContain('b exists')
    expect(await run(workspace, 'move_file', { from: 'a', to: 'a' })).toContain('the same path')
    expect(await run(workspace, 'move_file', { from: 'q', to: 'c' })).toContain('no file q')
    expect(workspace.applied).toEqual([])
    expect(await run(workspace, 'move_file', { from: 'a', to: 'A' })).toBe('Moved a to A.')
    expect(await run(workspace, 'move_file', { from: 'A', to: 'c/d' })).toBe('Moved A to c/d.')
    expect(workspace.list().map(({ path }) => path)).toEqual(['b', 'c/d'])
    expect(workspace.applied.at(-1)).toMatchObject([
      { path: 'A', bytes: null },
      { path: 'c/d', movedFrom: 'A' },
    ])
  })
})

/** By a person, while the agent waits. */
async function save(workspace: MemoryWorkspace, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === 'string' ? toBytes(content) : content
  await workspace.apply([{ path: pathOf('a'), bytes }])
  workspace.applied.length = 0
}

describe('[DEC1] [FILE4] a call that a person said yes to', () => {
  type Case = { name: string; input: object; before?: string | Uint8Array }
  const LONG = lines(5000)
  const REFUSED = /^tool_error: a was changed after the person was asked: nothing was written/

  /** What the card shows, empty where it shows nothing. */
  const shownOf = async (workspace: MemoryWorkspace, { name, input }: Case): Promise<string> =>
    (await preview(workspace, name, input)) ?? ''

  const CASES: (Case & { saved: string | Uint8Array })[] = [
    { name: 'write_file', input: { path: 'a', content: 'y\n' }, before: 'x\n', saved: 'mine\n' },
    { name: 'write_file', input: { path: 'a', content: 'y\n' }, saved: 'mine\n' },
    { name: 'write_file', input: { path: 'a', content: 'x\n' }, before: 'x\n', saved: 'mine\n' },
    // Past the end of what a card shows.
    { name: 'write_file', input: { path: 'a', content: '' }, before: LONG, saved: `${LONG}mine` },
    { name: 'edit_file', input: edit('a', ['x', 'y']), before: 'x = 1\n', saved: 'x = 2\n' },
    { name: 'delete_file', input: { path: 'a' }, before: 'x\n', saved: 'mine\n' },
    { name: 'delete_file', input: { path: 'a' }, before: '', saved: 'mine\n' },
    { name: 'delete_file', input: { path: 'a' }, before: LONG, saved: `${LONG}mine` },
    {
      name: 'delete_file',
      input: { path: 'a' },
      before: Uint8Array.of(0, 1),
      saved: Uint8Array.of(0, 2),
    },
  ]

  test.each(CASES)('$name $input is made where nothing has changed', async (one) => {
    const workspace = await MemoryWorkspace.of(one.before === undefined ? {} : { a: one.before })
    const result = await run(workspace, one.name, one.input, await shownOf(workspace, one))
    expect(result).toMatch(/^(?:Created|Wrote|Edited|Deleted|a already)/)
  })

  test.each(CASES)('$name $input is not made over what was saved since', async (one) => {
    const workspace = await MemoryWorkspace.of(one.before === undefined ? {} : { a: one.before })
    const shown = await shownOf(workspace, one)
    await save(workspace, one.saved)
    expect(await run(workspace, one.name, one.input, shown)).toMatch(REFUSED)
    expect(workspace.applied).toEqual([])
    // Nobody was shown anything: it is made of what is there.
    expect(await run(workspace, one.name, one.input)).not.toMatch(REFUSED)
    expect(workspace.applied).toHaveLength(1)
  })

  test('[TOOL4] edits of one file are all made, and beside what a person has changed', async () => {
    const before = lines(30)
    const workspace = await MemoryWorkspace.of({ a: before })
    const calls = ['line 2\n', 'line 3\n', 'line 20\n'].map((text) =>
      edit('a', [text, text.toUpperCase()]),
    )
    const shown = await Promise.all(calls.map((call) => preview(workspace, 'edit_file', call)))
    await save(workspace, `mine\n${before}`)
    const results = await Promise.all(
      calls.map((call, index) => run(workspace, 'edit_file', call, shown[index])),
    )
    expect(new Set(results)).toEqual(new Set(['Edited a (1 line added, 1 removed).']))
    expect(workspace.text('a')).toBe(
      `mine\n${before.replace('line 2\nline 3\n', 'LINE 2\nLINE 3\n').replace('line 20\n', 'LINE 20\n')}`,
    )
  })

  test('a move takes along what was saved since', async () => {
    const workspace = await MemoryWorkspace.of({ a: 'x\n' })
    const input = { from: 'a', to: 'b' }
    const shown = await preview(workspace, 'move_file', input)
    await save(workspace, 'mine\n')
    expect(await run(workspace, 'move_file', input, shown)).toBe('Moved a to b.')
    expect(workspace.text('b')).toBe('mine\n')
  })

  test('a file that is saved while the call runs is not written over either', async () => {
    const workspace = await MemoryWorkspace.of({ a: 'x\n' })
    const input = { path: 'a', content: 'y\n' }
    const shown = await preview(workspace, 'write_file', input)
    const apply = workspace.apply.bind(workspace)
    workspace.apply = async (changes) => {
      workspace.apply = apply
      await save(workspace, 'mine\n')
      return apply(changes)
    }
    expect(await run(workspace, 'write_file', input, shown)).toMatch(/^tool_error: a was changed/)
    expect(workspace.text('a')).toBe('mine\n')
  })
})

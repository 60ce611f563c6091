import { describe, expect, test } from 'vitest'
import { applyEdits, type Edit } from './edit.ts'
import { findAll, findRuns } from './find-all.ts'
import { RandomSource } from '../../testing/random-source.ts'

const edit = (text: string, ...edits: [string, string, boolean?][]) =>
  applyEdits(
    text,
    edits.map(([oldText, newText, replaceAll]): Edit => ({ oldText, newText, replaceAll })),
  )
const textOf = (text: string, ...edits: [string, string, boolean?][]): string => {
  const result = edit(text, ...edits)
  return result.ok ? result.text : result.problem
}

describe('[FILE1] an exact piece', () => {
  test('is replaced where it is found once, and everywhere when that is said', () => {
    expect(textOf('one two one', ['two', '2'])).toBe('one 2 one')
    expect(textOf('one two one', ['one', '1', true])).toBe('1 two 1')
    expect(textOf('aaaa', ['aa', 'b', true])).toBe('bb')
  })

  test('means itself: what other tools read as a pattern or a reference is text', () => {
    expect(textOf('a.b $1 c', ['.', '$&$1$$'])).toBe('a$&$1$$b $1 c')
  })

  test('that is found several times names the lines', () => {
    expect(edit('x\ny\nx\nz x\n', ['x', '1'])).toEqual({
      ok: false,
      problem:
        'oldText is found 3 times, at lines 1, 3, 4. Give more of the text around it so that it ' +
        'is found once, or set replaceAll.',
    })
  })

  test('gets the line ends of the file it is put into', () => {
    expect(textOf('a\r\nb\r\n', ['b', 'x\ny'])).toBe('a\r\nx\r\ny\r\n')
    expect(textOf('a\rb\r', ['b', 'x\ny'])).toBe('a\rx\ry\r')
    expect(textOf('a\nb\r\n', ['b', 'x\ny'])).toBe('a\nx\ny\r\n')
    expect(textOf('a\nb\n', ['b', 'x\r\ny'])).toBe('a\nx\r\ny\n')
  })

  test('keeps a byte order mark', () => {
    expect(textOf('\uFEFFone\n', ['one', 'two'])).toBe('\uFEFFtwo\n')
  })
})

describe('[FILE1] a piece that is copied almost exactly', () => {
  test.each([
    ['other line ends', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny', 'x\r\ny\r\nc\r\n'],
    ['other line ends, from the middle of a line', 'f(1,\r\n  2)\r\n', '1,\n  2', '3', 'f(3)\r\n'],
    ['line ends that only the piece has', 'a\nb\nc\n', 'a\r\nb', 'x\r\ny', 'x\ny\nc\n'],
    ['blanks at the end of a line of the file', 'a  \nb\t\nc\n', 'a\nb\n', 'x\n', 'x\nc\n'],
    ['blanks at the end of a line of the piece', 'a\nb\nc\n', 'a \nb \n', 'x\n', 'x\nc\n'],
    [
      'less indentation',
      '  if (a) {\n    b()\n  }\n',
      'if (a) {\n  b()\n}',
      'c()\nd()',
      '  c()\n  d()\n',
    ],
    [
      'more indentation',
      'if (a)\n  b()\n',
      '    if (a)\n      b()\n',
      '    c()\n      d()\n',
      'c()\n  d()\n',
    ],
    ['indentation by tabs', '\t\ta\n\t\t\tb\n', 'a\n\tb\n', 'c\n\n\td\n', '\t\tc\n\n\t\t\td\n'],
    ['blank lines that have blanks', '  a\n\n  b\n', 'a\n  \nb', 'c', '  c\n'],
    ['no newline at the end of the file', 'x\n  a\n  b', 'a\nb\n', 'c\nd\n', 'x\n  c\n  d'],
    ['indentation and line ends', '  a\r\n  b\r\nc', 'a\nb\n', 'd\ne\n', '  d\r\n  e\r\nc'],
  ])('%s: the file keeps its own', (_name, text, oldText, newText, result) => {
    expect(edit(text, [oldText, newText])).toMatchObject({ ok: true, text: result, isExact: false })
  })

  test('must be unique too, and the one with the right indentation is meant', () => {
    expect(textOf('a \nx\n  a \ny\n', ['a\n', 'b\n'])).toBe('b\nx\n  a \ny\n')
    expect(textOf('  a\nb\nx\n    a\n  c\n', ['a\n  b\n', 'q'])).toContain('not in the file')
    expect(textOf('  a()\n  b()\n\n    a()\n    b()\n', ['a()\nb()\n', 'c()\n'])).toContain(
      'found 2 times, at lines 1, 4',
    )
    expect(textOf('  a()\n  b()\n\n    a()\n    b()\n', ['a()\nb()\n', 'c()\n', true])).toBe(
      '  c()\n\n    c()\n',
    )
  })

  test('does not forgive an indentation that is not the same for all lines', () => {
    expect(textOf('  a\n      b\n', ['a\n  b\n', 'c'])).toContain('not in the file')
  })
})

describe('[TOOL8] an error that can be acted on', () => {
  test('shows the nearest lines with their numbers', () => {
    const text = 'function one() {\n  return 1\n}\n\nfunction two() {\n  return 2\n}\n'
    expect(textOf(text, ['function two() {\n  return 3\n}', 'x'])).toBe(
      'oldText is not in the file. The nearest lines are:\n5\tfunction two() {\n6\t  return 2\n' +
        '7\t}\nCopy the text exactly as it is.',
    )
    expect(textOf(text, ['funktion two()', 'x'])).toContain('5\tfunction two() {')
    expect(textOf(text, ['zzzz', 'x'])).toContain('Nothing in it is like it')
    expect(textOf('', ['a', 'x'])).toContain('Nothing in it is like it')
  })

  test('says that an edit would do nothing', () => {
    expect(textOf('a', ['', 'x'])).toContain('oldText is empty')
    expect(textOf('a', ['a', 'a'])).toContain('are the same')
    expect(textOf('a\r\n', ['a\n', 'a\r\n'])).toContain('already is what this edit would make')
  })

  test('is short, whatever the file is', () => {
    expect(textOf(`${'needle '.repeat(100_000)}\n`, ['needles', 'x']).length).toBeLessThan(500)
  })
})

test('[FILE1] several edits are made one after the other, and all of them or none', () => {
  expect(textOf('a b', ['a', 'x'], ['x b', 'y'])).toBe('y')
  expect(edit('a b', ['a', 'x'], ['q', 'y'], ['b', 'z'])).toEqual({
    ok: false,
    problem:
      'Edit 2 of 3: oldText is not in the file. Nothing in it is like it: read the file again. ' +
      'None of the edits was made.',
  })
})

test('[SAF2] a text that was made to be slow is searched in linear time', () => {
  const text = 'a'.repeat(4_000_000)
  const needle = `b${'a'.repeat(200_000)}`
  expect(findAll(text, needle)).toEqual([])
  expect(findAll(text + needle, needle)).toEqual([text.length])
  expect(edit(`${'\n'.repeat(500_000)}x`, [`q${'\n'.repeat(100_000)}`, 'y'])).toMatchObject({
    ok: false,
  })
})

test.each(Array.from({ length: 50 }, (_, seed) => seed))(
  '[FILE1] the linear search finds every place, overlaps included, seed %i',
  (seed) => {
    const random = new RandomSource(seed)
    const numbers = (count: number) => Array.from({ length: count }, () => random.below(2))
    const text = numbers(200)
    const needle = numbers(1 + random.below(5))
    const places = [...text.keys()].filter((at) => needle.every((one, i) => text[at + i] === one))
    expect(findRuns(text, needle)).toEqual(places)
  },
)

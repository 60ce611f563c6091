import { expect, test } from 'vitest'
import { highlight, HIGHLIGHT_CHARS } from './highlight.ts'

const kinds = (code: string, language: string): string[] =>
  highlight(code, language)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => `${kind} ${text}`)

test('[MED3] comments, strings, numbers and keywords are told apart', () => {
  expect(kinds('const x = "a // b" // 1\nreturn 0x1f', 'ts')).toEqual([
    'keyword const',
    'string "a // b"',
    'comment // 1',
    'keyword return',
    'number 0x1f',
  ])
  expect(kinds("def f(): # it's\n  return 'x'", 'python')).toEqual([
    'keyword def',
    "comment # it's",
    'keyword return',
    "string 'x'",
  ])
  expect(kinds('SELECT a -- why\nFROM t', 'sql')).toEqual([
    'keyword SELECT',
    'comment -- why',
    'keyword FROM',
  ])
  expect(kinds('<a href="x"><!-- c --></a>', 'html')).toEqual([
    'tag <a',
    'string "x"',
    'tag >',
    'comment <!-- c -->',
    'tag </a',
    'tag >',
  ])
})

test('[MED3] no character is lost or added, whatever the language', () => {
  const code = 'if (a < b) { s = `x ${y} "z` } /* open\n# <!-- \'q'
  for (const language of ['js', 'py', 'sql', 'html', 'unknown', '']) {
    const pieces = highlight(code, language)
    expect(pieces.map(({ text }) => text).join('')).toBe(code)
  }
})

test('very long code is left plain', () => {
  expect(highlight('const '.repeat(HIGHLIGHT_CHARS), 'js')).toHaveLength(1)
})

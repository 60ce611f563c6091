import { describe, expect, test } from 'vitest'
import { highlightLines, languageOf } from './highlight-lines.ts'

describe('colours by line', () => {
  test('[FILE1] a comment over several lines colours each of them', () => {
    const lines = ['let a = 1 /* one', '', 'two */ + 2']
    const coloured = highlightLines(lines, 'ts')
    expect(coloured.map((pieces) => pieces.map(({ text }) => text).join(''))).toEqual(lines)
    expect(coloured[0]?.at(-1)).toEqual({ kind: 'comment', text: '/* one' })
    expect(coloured[2]?.[0]).toEqual({ kind: 'comment', text: 'two */' })
  })

  test('[FILE1] there are as many lines as there were, whatever the language', () => {
    expect(highlightLines(['a', '', ''], 'none')).toHaveLength(3)
    expect(highlightLines([], 'ts')).toHaveLength(1)
  })

  test('[FILE1] the end of a name says the language', () => {
    expect(languageOf('src/a.b.TS')).toBe('ts')
    expect(languageOf('Makefile')).toBe('makefile')
    expect(languageOf('folder.py/plain')).toBe('plain')
  })
})

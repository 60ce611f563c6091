import { expect, test } from 'vitest'
import { countLines, toDiffLines } from './diff-lines.ts'

const DIFF = [
  '--- a/.env',
  '+++ b/.env',
  '@@ -1,3 +1,3 @@',
  ' A=1',
  '-B=2',
  '+B=3',
  '--- not a header',
  '\\ No newline at end of file',
  '',
].join('\n')

test('[DEC1] a diff is shown line by line, without the names of its file', () => {
  const { lines, left } = toDiffLines(DIFF)
  expect(left).toBe(0)
  expect(lines).toEqual([
    { kind: 'hunk', text: '@@ -1,3 +1,3 @@' },
    { kind: 'same', text: 'A=1' },
    { kind: 'removed', text: 'B=2' },
    { kind: 'added', text: 'B=3' },
    { kind: 'removed', text: '-- not a header' },
    { kind: 'note', text: 'No newline at end of file' },
  ])
  expect([countLines(lines, 'added'), countLines(lines, 'removed')]).toEqual([1, 2])
})

test('what is said in words instead of lines stays as it is', () => {
  const { lines } = toDiffLines('--- a/x\n+++ b/x\nOnly the ends of lines differ.')
  expect(lines).toEqual([{ kind: 'note', text: 'Only the ends of lines differ.' }])
})

test('[SAF2] a diff of any length is cut, and says by how much', () => {
  const { lines, left } = toDiffLines(`@@ -0,0 +1,5000 @@\n${'+x\n'.repeat(5000)}`)
  expect(lines).toHaveLength(2000)
  expect(left).toBe(3001)
})

import { expect, test } from 'vitest'
import { isAllThereIs } from './read-wait.ts'

test.each([
  ['command', 'rm -rf build', true],
  ['command', 'ls…', false],
  ['command', '', false],
  ['command', 'rm \u202etxt.a', false],
  ['command', 'rm\u200b -rf /', false],
  ['command', 'echo café', true],
  ['file_edit', '.env', false],
  ['tool', 'deploy', false],
  ['plan', 'Ship it', false],
  ['question', 'Which colour?', false],
] as const)('[DEC6] [AGT5] %s %j can be allowed from its line: %s', (kind, title, expected) => {
  expect(isAllThereIs({ kind, title })).toBe(expected)
})

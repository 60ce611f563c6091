import { expect, test } from 'vitest'
import { summarizeChildren } from './child-status.ts'

test('[AGT5] a tree is summed up, the most urgent first', () => {
  expect(summarizeChildren(['done', 'running', 'waiting', 'running'])).toBe(
    '1 waiting for you, 2 running, 1 done',
  )
})

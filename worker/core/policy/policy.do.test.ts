import { expect, test } from 'vitest'
import { evaluate, type Policy } from './policy.ts'

const policy: Policy = {
  rules: [],
  autoApproveCommands: true,
  autoApproveSensitiveEdits: false,
  sensitivePatterns: [],
}

const judge = (command: string) => evaluate(policy, { kind: 'command', command, cwd: '/' })

test('[DEC3] the parser loads where Parley runs', async () => {
  expect(await judge('echo "rm -rf /"')).toMatchObject({ verdict: 'allow', severity: 'low' })
  expect(await judge('true && rm -rf ~')).toMatchObject({ verdict: 'ask', severity: 'critical' })
})

test('[DEC3] nesting without an end leaves the object responsive', async () => {
  for (const piece of ['(', '((', '$(', '{ ', 'case a in a) ']) {
    expect(await judge(piece.repeat(20_000))).toMatchObject({ verdict: 'ask', auto: false })
  }
})

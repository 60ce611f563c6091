import { describe, expect, test } from 'vitest'
import type { SavedRule } from '#protocol/decision-events'
import { LOOK_UP_MS } from '#protocol/limits'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { VirtualTimers } from '../../testing/node/virtual-timers.ts'
import { judge } from './judge.ts'

const MAIL = { kind: 'tool', toolName: 'mail', arguments: '{}', readOnly: false } as const
const ALLOW: SavedRule = {
  ruleId: 'r1',
  verdict: 'allow',
  kind: 'tool',
  pattern: 'mail',
  description: 'mail',
  createdAt: 1,
}

const fail = (): Promise<never> => Promise.reject(new Error('D1 is out of reach'))
const hang = (): Promise<never> => new Promise(() => {})
/** What the session allows, its owner has forbidden. */
const find = async (): Promise<SavedRule[]> => [{ ...ALLOW, ruleId: 'r2', verdict: 'deny' }]

/** What is said of an action with side effects, with these answers of the database. */
async function judgeMail(...answers: (() => Promise<SavedRule[]>)[]) {
  const { session } = (await SessionHarness.create()).core.folded
  const timers = new VirtualTimers()
  const verdict = judge(
    {
      timers,
      session: () => ({ ...session, rules: [ALLOW] }),
      ownerRules: () => answers.shift()?.() ?? expect.unreachable(),
      above: hang,
      sensitivePatterns: [],
    },
    MAIL,
  )
  for (let i = 0; i < 2; i++) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    timers.advance(LOOK_UP_MS / 2)
  }
  return { ...(await verdict), timers: timers.size, left: answers.length }
}

describe('[DEC1] saved rules of an owner', () => {
  test('are asked for once more where they could not be read, and hold then', async () => {
    for (const first of [fail, hang]) {
      expect(await judgeMail(first, find)).toMatchObject({ verdict: 'deny', left: 0, timers: 0 })
    }
  })

  test('that are not heard of in time never allow more: a person is asked', async () => {
    for (const first of [fail, hang]) {
      for (const second of [fail, hang]) {
        expect(await judgeMail(first, second)).toMatchObject({ verdict: 'ask', timers: 0 })
      }
    }
  })

  test('that can be read are read once', async () => {
    expect(await judgeMail(find, fail)).toMatchObject({ verdict: 'deny', left: 1 })
  })
})

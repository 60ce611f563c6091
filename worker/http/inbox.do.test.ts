import { env } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import type { SavedRule } from '#protocol/decision-events'
import { toQuestionId } from '#protocol/ids'
import { saveRule } from '../directory/rules.ts'
import { call, createSession, refusalOf, TWO_OWNERS, UNKNOWN_ID } from '../testing/call-app.ts'

const alice = { vars: TWO_OWNERS, token: 'alice-token' }
const bob = { vars: TWO_OWNERS, token: 'bob-token' }

const answerTo = (as: typeof alice, json: unknown): Promise<Response> =>
  call('/api/ask-user-response', { ...as, json })

describe('[DEC5] POST /api/ask-user-response', () => {
  test('does not know a question that was never asked, or is not yours to answer', async () => {
    const { id } = await createSession(alice)
    const ids = ['', 'nonsense', toQuestionId(UNKNOWN_ID, 3), toQuestionId(id, 1)]
    for (const question_id of ids.slice(1)) {
      const refused = await refusalOf(await answerTo(alice, { question_id, answers: { a: 'b' } }))
      expect(refused, question_id).toMatchObject({ status: 404, code: 'no_such_question' })
    }
    const strange = await answerTo(bob, { question_id: ids[3], answers: { a: 'b' } })
    expect(await refusalOf(strange)).toMatchObject({ status: 404, code: 'no_such_question' })
  })

  test('[SAF2] refuses answers of the wrong shape, and says where', async () => {
    const question_id = toQuestionId(UNKNOWN_ID, 3)
    const wrong = [{}, { question_id }, { question_id, answers: 'yes' }]
    for (const json of [...wrong, { question_id, answers: { a: 1 } }, { question_id: 7 }]) {
      expect(await refusalOf(await answerTo(alice, json))).toMatchObject({
        status: 400,
        code: 'bad_request',
        message: expect.stringMatching(/^(question_id|answers)/),
      })
    }
  })
})

const RULE: SavedRule = {
  ruleId: 'rule-1',
  verdict: 'allow',
  kind: 'command',
  pattern: 'npm test',
  description: 'npm test, always',
  createdAt: 5,
}

describe('[DEC3] /api/rules', () => {
  test('lists what an owner saved, and forgets what they take back, for them alone', async () => {
    await saveRule(env.DB, 'alice', RULE)
    const list = async (as: typeof alice): Promise<unknown> => (await call('/api/rules', as)).json()
    expect(await list(alice)).toEqual({ rules: [RULE] })
    expect(await list(bob)).toEqual({ rules: [] })
    const remove = (as: typeof alice): Promise<Response> =>
      call('/api/rules/rule-1', { ...as, method: 'DELETE' })
    expect(await refusalOf(await remove(bob))).toMatchObject({ status: 404, code: 'no_such_rule' })
    expect((await remove(alice)).status).toBe(200)
    expect(await list(alice)).toEqual({ rules: [] })
    expect(await refusalOf(await remove(alice))).toMatchObject({ status: 404 })
  })
})

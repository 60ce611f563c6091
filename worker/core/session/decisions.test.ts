import { beforeAll, describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { statusOfSession, toInbox } from '#protocol/summary'
import { evaluate } from '../policy/policy.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'

// The parser of commands is loaded when it is first needed: here before anything is counted on.
beforeAll(async () => {
  const policy = { rules: [], autoApproveCommands: false, autoApproveSensitiveEdits: false }
  const action = { kind: 'command', command: 'ls', cwd: '/workspace' } as const
  await evaluate({ ...policy, sensitivePatterns: [] }, action)
})

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

const types = (harness: SessionHarness, after = 0): string[] =>
  harness.events().flatMap(({ seq, type }) => (seq > after ? [type] : []))

/** A session whose model has called these tools; `deploy` and `mail` need a person. */
async function calling(...names: string[]): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  prepareTools(harness)
  harness.command({ type: 'send', text: 'do it' })
  await harness.settle()
  await callTools(harness, ...names)
  return harness
}

function prepareTools({ tools }: SessionHarness): void {
  for (const toolName of ['deploy', 'mail']) {
    tools.actions.set(toolName, { kind: 'tool', toolName, arguments: '{}', readOnly: false })
  }
  tools.actions.set('bash', { kind: 'command', command: 'touch a.txt', cwd: '/workspace' })
  tools.questions.set('ask_user', [
    { id: 'colour', text: 'Which colour?', options: ['red', 'blue'] },
    { id: 'why', text: 'Why?', free: true },
  ])
  tools.plans.set('update_plan', {
    title: 'Paint it',
    steps: [{ id: '1', text: 'Buy paint', status: 'pending' }],
  })
}

async function callTools(harness: SessionHarness, ...names: string[]): Promise<void> {
  names.forEach((toolName, index) =>
    harness.model.current.emit({
      type: 'tool_call',
      id: `${toolName}-${index}`,
      toolName,
      arguments: toolName === 'bash' ? '{"command":"touch a.txt"}' : '{}',
    }),
  )
  harness.model.current.finish('tool_calls')
  await harness.settle()
}

const statusOf = (harness: SessionHarness): string => statusOfSession(harness.core.folded)
const openIds = (harness: SessionHarness): string[] =>
  harness.core.folded.decisions.map(({ decisionId }) => decisionId)

async function decide(
  harness: SessionHarness,
  verdict: 'accept' | 'reject',
  more: Record<string, unknown> = {},
): Promise<void> {
  harness.command({ type: 'decide', decisionId: openIds(harness)[0], verdict, ...more })
  await harness.settle()
}

async function answerModel(harness: SessionHarness, text = 'All done here.'): Promise<void> {
  expect(findRequestProblem(harness.model.current.request.messages)).toBe(null)
  harness.model.current.text(text).finish()
  await harness.settle()
}

describe('a call that needs a person', () => {
  test('[DEC1] [DEC4] is asked about, and the run waits without anything that runs', async () => {
    const harness = await calling('deploy')
    const [request] = of(harness, 'decision_requested')
    expect(request).toMatchObject({ kind: 'tool', severity: 'medium', arguments: '{}' })
    expect(harness.tools.runs).toEqual([])
    expect(statusOf(harness)).toBe('waiting')
    expect(harness.timers.size).toBe(0)
    await harness.core.alarm()
    expect(harness.alarmAt).toBe(null)
    expect(harness.directory.get('session-0123456789')).toMatchObject({
      status: 'waiting',
      waits: [{ id: request!.decisionId, kind: 'tool', title: 'deploy' }],
    })
  })

  test('[DEC2] says what "do not ask again" would mean, in the words of the rule it would save', async () => {
    const harness = await calling('bash')
    const [request] = of(harness, 'decision_requested')
    expect(request?.remember).toEqual({
      session: 'every command that begins with touch, in this session',
      always: 'every command that begins with touch, always',
    })
    await harness.tryLater({
      type: 'decide',
      decisionId: request?.decisionId,
      verdict: 'accept',
      scope: 'session',
    })
    expect(harness.core.folded.session.rules).toMatchObject([
      { description: request?.remember?.session },
    ])
  })

  test('[DEC1] is run when it is accepted, and the model goes on', async () => {
    const harness = await calling('deploy')
    await decide(harness, 'accept')
    expect(statusOf(harness)).toBe('running')
    expect(harness.tools.runs.map(({ toolName }) => toolName)).toEqual(['deploy'])
    harness.tools.open[0]!.settle({ ok: true, result: 'deployed' })
    await harness.settle()
    await answerModel(harness)
    expect(of(harness, 'decision_resolved')).toMatchObject([
      { status: 'accepted', by: 'owner', scope: 'once' },
    ])
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('[DEC2] when it is rejected, the model is told, with the reason, and it is not run', async () => {
    const harness = await calling('deploy')
    await decide(harness, 'reject', { reason: 'not on a Friday' })
    expect(harness.tools.runs).toEqual([])
    expect(of(harness, 'tool_result')).toMatchObject([
      { ok: false, error: { code: 'tool_denied', message: expect.stringContaining('Friday') } },
    ])
    await answerModel(harness)
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('[DEC4] several are open at once and answered in any order; others run beside them', async () => {
    const harness = await calling('deploy', 'search', 'mail')
    expect(harness.tools.open.map(({ toolName }) => toolName)).toEqual(['search'])
    expect(statusOf(harness)).toBe('running')
    const [first, second] = openIds(harness)
    harness.command({ type: 'decide', decisionId: second, verdict: 'accept' })
    await harness.settle()
    expect(harness.tools.open.map(({ toolName }) => toolName)).toEqual(['search', 'mail'])
    for (const run of harness.tools.open) run.settle({ ok: true, result: 'fine' })
    await harness.settle()
    expect(statusOf(harness)).toBe('waiting')
    expect(harness.model.isCalled).toBe(false)
    harness.command({ type: 'decide', decisionId: first, verdict: 'reject' })
    await harness.settle()
    await answerModel(harness)
    expect(of(harness, 'tool_result').map(({ toolName }) => toolName)).toEqual([
      'search',
      'mail',
      'deploy',
    ])
  })

  test('[DEC4] is answered once: who comes later is told so, and who asks for nothing too', async () => {
    const harness = await calling('deploy')
    const [decisionId] = openIds(harness)
    await decide(harness, 'accept')
    expect(harness.try({ type: 'decide', decisionId, verdict: 'reject' })).toMatchObject({
      ok: false,
      rejection: { code: 'already_decided' },
    })
    expect(harness.try({ type: 'decide', decisionId: 'nothing', verdict: 'accept' })).toMatchObject(
      {
        ok: false,
        rejection: { code: 'no_such_decision' },
      },
    )
    expect(of(harness, 'decision_resolved')).toHaveLength(1)
  })

  test('[CAN1] [DEC4] a cancel settles it: nobody has to answer, and an answer changes nothing', async () => {
    const harness = await calling('deploy')
    const [decisionId] = openIds(harness)
    const { seq } = harness.folded()
    harness.command({ type: 'cancel' })
    await harness.settle()
    expect(types(harness, seq)).toEqual([
      'decision_resolved',
      'tool_result',
      'output_cancelled',
      'run_done',
    ])
    expect(of(harness, 'decision_resolved')).toMatchObject([{ status: 'cancelled' }])
    expect(harness.try({ type: 'decide', decisionId, verdict: 'accept' })).toMatchObject({
      rejection: { code: 'already_decided' },
    })
    expect(harness.tools.runs).toEqual([])
    expect(statusOf(harness)).toBe('idle')
  })

  test('[QUE2] [DEC4] a steer does not answer it, and enters once it is answered', async () => {
    const harness = await calling('deploy')
    harness.command({ type: 'send', text: 'hurry', delivery: 'steer' })
    await harness.settle()
    expect(statusOf(harness)).toBe('waiting')
    expect(harness.model.isCalled).toBe(false)
    await decide(harness, 'reject')
    const last = harness.model.current.request.messages.at(-1)
    expect(last).toMatchObject({ role: 'user', text: 'hurry' })
    await answerModel(harness)
  })

  test('[DEC4] expires where that is configured, and the model goes on without it', async () => {
    const harness = await SessionHarness.create({ decisionMs: 3_600_000 })
    prepareTools(harness)
    harness.command({ type: 'send', text: 'do it' })
    await harness.settle()
    await callTools(harness, 'deploy')
    expect(harness.alarmAt).not.toBe(null)
    harness.timers.advance(3_600_000)
    await harness.core.alarm()
    await harness.settle()
    expect(of(harness, 'decision_resolved')).toMatchObject([{ status: 'expired' }])
    expect(harness.tools.runs).toEqual([])
    await answerModel(harness)
  })

  test('[DEC4] [DEC5] a question expires as a decision does, after a night asleep too', async () => {
    const harness = await SessionHarness.create({ decisionMs: 3_600_000 })
    prepareTools(harness)
    harness.command({ type: 'send', text: 'do it' })
    await harness.settle()
    await callTools(harness, 'ask_user')
    const [asked] = harness.core.folded.questions
    expect(asked?.expiresAt).toBe(asked!.at + 3_600_000)
    expect(of(harness, 'ask_user')).toMatchObject([{ expiresAt: asked!.expiresAt }])
    expect(toInbox(harness.core.folded)).toMatchObject([{ expiresAt: asked!.expiresAt }])
    harness.hibernate()
    harness.timers.advance(3_599_000)
    await harness.core.alarm()
    expect(of(harness, 'tool_result')).toEqual([])
    harness.timers.advance(1000)
    await harness.core.alarm()
    await harness.settle()
    expect(of(harness, 'ask_user_answered')).toEqual([])
    expect(of(harness, 'tool_result')).toMatchObject([
      { ok: false, error: { code: 'tool_denied', message: expect.stringContaining('in time') } },
    ])
    expect(harness.core.folded.questions).toEqual([])
    const { questionId } = asked!
    expect(harness.try({ type: 'answer', questionId, answers: { q: 'late' } })).toMatchObject({
      rejection: { code: 'already_decided' },
    })
    const last = harness.model.current.request.messages.at(-1)
    expect(last).toMatchObject({ role: 'tool', results: [{ ok: false }] })
    await answerModel(harness)
  })
})

describe('[DEC4] a decision whose time is over', () => {
  test.each([{}, { scope: 'session' }])(
    'expires with an answer %j that comes before the alarm',
    async (more) => {
      const harness = await SessionHarness.create({ decisionMs: 3_600_000 })
      prepareTools(harness)
      harness.command({ type: 'send', text: 'do it' })
      await harness.settle()
      await callTools(harness, 'bash')
      const [decisionId] = openIds(harness)
      harness.timers.advance(3_600_000)
      const yes = { type: 'decide', decisionId, verdict: 'accept', ...more } as const
      expect(await harness.tryLater(yes)).toMatchObject({
        ok: false,
        rejection: { code: 'already_decided' },
      })
      await harness.settle()
      expect(of(harness, 'decision_resolved')).toMatchObject([{ status: 'expired' }])
      expect(of(harness, 'rule_added')).toEqual([])
      expect(harness.tools.runs).toEqual([])
      await answerModel(harness)
    },
  )

  test('is open until then', async () => {
    const harness = await SessionHarness.create({ decisionMs: 3_600_000 })
    prepareTools(harness)
    harness.command({ type: 'send', text: 'do it' })
    await harness.settle()
    await callTools(harness, 'deploy')
    harness.timers.advance(3_599_999)
    await decide(harness, 'accept')
    expect(of(harness, 'decision_resolved')).toMatchObject([{ status: 'accepted' }])
    expect(harness.tools.runs).toMatchObject([{ toolName: 'deploy' }])
  })
})

describe('[RUN9] [DEC4] while a person thinks about it', () => {
  test('the object sleeps and wakes: the answer hours later goes on from there', async () => {
    const harness = await calling('deploy')
    const before = harness.events()
    harness.hibernate()
    harness.timers.advance(10 * 3_600_000)
    expect(harness.events()).toEqual(before)
    await decide(harness, 'accept')
    expect(harness.tools.runs.filter(({ settled }) => !settled)).toHaveLength(1)
    harness.tools.open[0]!.settle({ ok: true, result: 'deployed' })
    await harness.settle()
    await answerModel(harness)
    expect(of(harness, 'run_started')).toHaveLength(1)
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('a crash costs no attempt, however often it comes', async () => {
    const harness = await calling('deploy')
    for (let crash = 0; crash < 5; crash++) harness.crash()
    expect(of(harness, 'run_started')).toHaveLength(1)
    await decide(harness, 'reject')
    await answerModel(harness)
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('a crash beside it: what ran is interrupted, the question stays, and is answered once', async () => {
    const harness = await calling('deploy', 'search')
    harness.crash()
    await harness.settle()
    expect(of(harness, 'tool_result')).toMatchObject([
      { toolName: 'search', error: { code: 'tool_interrupted' } },
    ])
    expect(statusOf(harness)).toBe('waiting')
    await decide(harness, 'accept')
    expect(harness.tools.open.map(({ toolName }) => toolName)).toEqual(['deploy'])
    harness.tools.open[0]!.settle({ ok: true, result: 'deployed' })
    await harness.settle()
    await answerModel(harness)
    expect(of(harness, 'run_started').map(({ attempt }) => attempt)).toEqual([1, 2])
  })

  test('a crash after the yes: what was begun is not begun again', async () => {
    const harness = await calling('deploy')
    await decide(harness, 'accept')
    harness.crash()
    await harness.settle()
    expect(harness.tools.open).toEqual([])
    expect(of(harness, 'tool_result')).toMatchObject([{ error: { code: 'tool_interrupted' } }])
    await answerModel(harness)
  })
})

describe('[DEC2] [DEC3] an answer with more than yes or no', () => {
  test('an edited command runs as edited, its severity is computed again, and the model is told', async () => {
    const harness = await calling('bash')
    const [decisionId] = openIds(harness)
    harness.tools.actions.set('bash', { kind: 'command', command: 'rm -rf x', cwd: '/workspace' })
    const edits = { command: 'rm -rf x' }
    const answered = await harness.tryLater({
      type: 'decide',
      decisionId,
      verdict: 'accept',
      edits,
    })
    expect(answered.ok).toBe(true)
    await harness.settle()
    expect(of(harness, 'decision_requested')).toMatchObject([{ severity: 'medium' }])
    expect(of(harness, 'decision_resolved')).toMatchObject([{ severity: 'critical', edits }])
    expect(harness.tools.open).toMatchObject([{ arguments: '{"command":"rm -rf x"}' }])
    harness.tools.open[0]!.settle({ ok: true, result: 'gone' })
    await harness.settle()
    expect(of(harness, 'tool_result')).toMatchObject([
      { ok: true, result: expect.stringContaining('rm -rf x') },
    ])
    await answerModel(harness)
  })

  test('an edit that does not fit is refused, and the decision stays open', async () => {
    const harness = await calling('deploy')
    const [decisionId] = openIds(harness)
    const wrong = {
      type: 'decide',
      decisionId,
      verdict: 'accept',
      edits: { command: 'ls' },
    } as const
    expect(await harness.tryLater(wrong)).toMatchObject({ rejection: { code: 'invalid_edit' } })
    expect(openIds(harness)).toEqual([decisionId])
    await decide(harness, 'accept')
  })

  test('"this session": the next call like it is approved by that, and says so', async () => {
    const harness = await calling('deploy')
    const [decisionId] = openIds(harness)
    await harness.tryLater({ type: 'decide', decisionId, verdict: 'accept', scope: 'session' })
    await harness.settle()
    harness.tools.open[0]!.settle({ ok: true, result: 'deployed' })
    await harness.settle()
    await callTools(harness, 'deploy')
    expect(openIds(harness)).toEqual([])
    expect(harness.tools.open).toHaveLength(1)
    expect(of(harness, 'decision_resolved').at(-1)).toMatchObject({
      auto: true,
      status: 'accepted',
    })
    const [rule] = harness.core.folded.session.rules
    harness.command({ type: 'rule_remove', ruleId: rule!.ruleId })
    expect(harness.core.folded.session.rules).toEqual([])
  })

  test('"always": the rule is the owner’s, and holds in this run at once', async () => {
    const harness = await calling('deploy')
    const [decisionId] = openIds(harness)
    await harness.tryLater({ type: 'decide', decisionId, verdict: 'reject', scope: 'always' })
    await harness.settle()
    expect(harness.rules).toMatchObject([{ verdict: 'deny', kind: 'tool' }])
    await callTools(harness, 'deploy')
    expect(harness.tools.runs).toEqual([])
    expect(of(harness, 'tool_result').at(-1)).toMatchObject({ error: { code: 'tool_denied' } })
    await answerModel(harness)
  })
})

describe('[DEC5] questions and plans', () => {
  test('a question waits for its answers, which are the result of the call', async () => {
    const harness = await calling('ask_user')
    expect(statusOf(harness)).toBe('waiting')
    const questionId = harness.core.folded.questions[0]?.questionId
    harness.hibernate()
    harness.command({ type: 'answer', questionId, answers: { colour: 'red', why: 'I like it' } })
    await harness.settle()
    expect(of(harness, 'tool_result')).toMatchObject([
      { ok: true, result: expect.stringContaining('I like it') },
    ])
    await answerModel(harness)
    expect(harness.try({ type: 'answer', questionId, answers: {} })).toMatchObject({
      rejection: { code: 'already_decided' },
    })
  })

  test.each([
    [{}, 'answers.colour: is missing'],
    [{ colour: 'green', why: 'x' }, 'answers.colour: is not one of the options'],
    [{ colour: ['red'], why: 'x' }, 'answers.colour: expected one answer'],
    [{ colour: 'red', why: ' ' }, 'answers.why: must not be empty'],
    [{ colour: 'red', why: 'x', more: 'y' }, 'answers.more: was not asked'],
  ])('%j is no answer', async (answers, message) => {
    const harness = await calling('ask_user')
    const questionId = harness.core.folded.questions[0]?.questionId
    expect(harness.try({ type: 'answer', questionId, answers })).toMatchObject({
      rejection: { code: 'bad_request', message },
    })
    expect(harness.core.folded.questions).toHaveLength(1)
  })

  test('[DEC7] a plan is put before a person; edited and approved, the same run may act', async () => {
    const harness = await SessionHarness.create()
    prepareTools(harness)
    harness.command({ type: 'configure', mode: 'plan' })
    harness.command({ type: 'send', text: 'paint it' })
    await harness.settle()
    await callTools(harness, 'update_plan')
    expect(of(harness, 'decision_requested')).toMatchObject([{ kind: 'plan' }])
    const [decisionId] = openIds(harness)
    const plan = { title: 'Paint it red', steps: [{ id: '1', text: 'Buy red', status: 'pending' }] }
    const edits = { plan }
    expect(
      await harness.tryLater({ type: 'decide', decisionId, verdict: 'accept', edits }),
    ).toMatchObject({ ok: true })
    await harness.settle()
    expect(harness.core.folded).toMatchObject({ plan, session: { mode: 'agent' } })
    expect(harness.model.current.request.system).not.toContain('Mode: Plan')
    await answerModel(harness)
    expect(of(harness, 'run_started')).toHaveLength(1)
  })

  test('[DEC7] outside the mode Plan a plan says how far the work is, and asks nobody', async () => {
    const harness = await calling('update_plan')
    expect(of(harness, 'plan_update')).toHaveLength(1)
    expect(openIds(harness)).toEqual([])
    await answerModel(harness)
  })
})

/** The rules are read when the test says so: until then the answer is on its way. */
function gated() {
  const gate = Promise.withResolvers<void>()
  let isOpen = true
  const load = async () => {
    if (!isOpen) await gate.promise
    return []
  }
  const close = (): void => void (isOpen = false)
  return { rules: { load, save: () => Promise.resolve() }, close, release: () => gate.resolve() }
}

const saveNothing = () => Promise.reject(new Error('D1 is out of reach'))

describe('an answer that has to be prepared', () => {
  const EDITS = { arguments: '{"to":"test"}' }

  test('[DEC4] whenever it comes beside the end of another call, its call runs once, and alone', async () => {
    for (let late = 0; late < 40; late++) {
      const { rules, close, release } = gated()
      const harness = await SessionHarness.create({ rules })
      prepareTools(harness)
      harness.command({ type: 'send', text: 'do it' })
      await harness.settle()
      await callTools(harness, 'deploy', 'search', 'mail')
      const [first, second] = openIds(harness)
      close()
      const edited = { type: 'decide', decisionId: first, verdict: 'accept', edits: EDITS } as const
      const answered = harness.tryLater(edited)
      harness.tools.open[0]!.settle({ ok: true, result: 'found' })
      for (let i = 0; i < late; i++) await Promise.resolve()
      release()
      await answered
      await harness.settle()
      harness.command({ type: 'decide', decisionId: second, verdict: 'accept' })
      await harness.settle()
      const names = harness.tools.runs.map(({ toolName }) => toolName)
      expect(names.toSorted(), `${late}`).toEqual(['deploy', 'mail', 'search'])
      expect(harness.model.isCalled).toBe(false)
      for (const run of harness.tools.open) run.settle({ ok: true, result: 'fine' })
      await harness.settle()
      await answerModel(harness)
    }
  })

  test('[DEC2] "always" that was too late, or too fast, saves no rule', async () => {
    const { rules, close, release } = gated()
    const saved: unknown[] = []
    const harness = await SessionHarness.create({
      rules: { ...rules, save: async (_owner, rule) => void saved.push(rule) },
    })
    prepareTools(harness)
    harness.command({ type: 'send', text: 'do it' })
    await harness.settle()
    await callTools(harness, 'deploy')
    const [decisionId] = openIds(harness)
    close()
    const always = { type: 'decide', decisionId, verdict: 'accept', scope: 'always' } as const
    const late = harness.tryLater(always)
    harness.command({ type: 'decide', decisionId, verdict: 'reject' })
    release()
    expect(await late).toMatchObject({ rejection: { code: 'already_decided' } })
    expect(saved).toEqual([])
    expect(harness.tools.runs).toEqual([])
  })

  test('[DEC2] a rule that cannot be saved is said so, and the answer counts', async () => {
    const rules = { load: async () => [], save: saveNothing }
    const harness = await SessionHarness.create({ rules })
    prepareTools(harness)
    harness.command({ type: 'send', text: 'do it' })
    await harness.settle()
    await callTools(harness, 'deploy')
    const [decisionId] = openIds(harness)
    const always = { type: 'decide', decisionId, verdict: 'accept', scope: 'always' } as const
    expect(await harness.tryLater(always)).toMatchObject({ ok: true })
    await harness.settle()
    expect(of(harness, 'warning')).toMatchObject([{ code: 'rule_not_saved' }])
    expect(harness.tools.open).toHaveLength(1)
  })

  test('[SAF2] too fast, it is refused before anything is looked up', async () => {
    let loads = 0
    const rules = { load: async () => ((loads += 1), []), save: () => Promise.resolve() }
    const commandRate = { perMinute: 1, burst: 2 }
    const harness = await SessionHarness.create({ rules, commandRate })
    prepareTools(harness)
    harness.command({ type: 'send', text: 'do it' })
    await harness.settle()
    await callTools(harness, 'deploy')
    const [decisionId] = openIds(harness)
    harness.command({ type: 'configure', title: 'one more' })
    const before = loads
    const edited = { type: 'decide', decisionId, verdict: 'accept', edits: EDITS } as const
    expect(await harness.tryLater(edited)).toMatchObject({ rejection: { code: 'rate_limited' } })
    expect(loads).toBe(before)
  })
})

describe('[RUN9] [DEC4] what a person said yes to', () => {
  test('is not repeated after a crash, however safe its tool says that is', async () => {
    const harness = await SessionHarness.create()
    const toolName = 'safe_mail'
    harness.tools.actions.set(toolName, {
      kind: 'tool',
      toolName,
      arguments: '{}',
      readOnly: false,
    })
    harness.command({ type: 'send', text: 'do it' })
    await harness.settle()
    await callTools(harness, toolName)
    await decide(harness, 'accept')
    harness.crash()
    await harness.settle()
    expect(harness.tools.runs).toHaveLength(1)
    expect(of(harness, 'tool_result')).toMatchObject([{ error: { code: 'tool_interrupted' } }])
  })

  test('[SAF2] no more than twenty calls wait at once; the others are answered', async () => {
    const harness = await calling(...Array.from({ length: 23 }, () => 'deploy'))
    expect(openIds(harness)).toHaveLength(20)
    expect(of(harness, 'tool_result').map(({ error }) => error?.code)).toEqual(
      Array.from({ length: 3 }, () => 'rate_limit_tools'),
    )
  })
})

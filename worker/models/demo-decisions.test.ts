import { describe, expect, test } from 'vitest'
import type { ModelMessage } from '../core/session/model.ts'
import { askUser } from '../core/tools/ask-user.ts'
import { bashTool } from '../core/tools/bash.ts'
import { countdown } from '../core/tools/countdown.ts'
import { FILE_TOOLS } from '../core/tools/file-tools.ts'
import { finalizeTask } from '../core/tools/finalize-task.ts'
import { createRegistry } from '../core/tools/registry.ts'
import { updatePlan } from '../core/tools/update-plan.ts'
import { createWebPost } from '../core/tools/web-post.ts'
import { findScene } from './demo-scripts.ts'
import { ask, assistant, said, user } from './demo-test-kit.ts'

const registry = createRegistry([
  ...FILE_TOOLS,
  bashTool,
  askUser,
  updatePlan,
  finalizeTask,
  countdown,
  createWebPost({ fetch: () => Promise.reject(new Error('nothing is sent here')) }),
])
const tools = registry.specs()

type Call = { callId: string; toolName: string; arguments: string }
type Answer = { ok: boolean; text: string }

/** Plays a scene; every call must be one that its tool accepts. */
async function play(question: string, answer: (call: Call, round: number) => Answer) {
  const messages: ModelMessage[] = [user(question)]
  const made: Call[] = []
  const texts: string[] = []
  for (let round = 0; round < 6; round++) {
    const { calls, text } = await ask(messages, { tools })
    texts.push(text)
    const parts = calls.map(({ id, toolName, arguments: args }) => ({
      type: 'tool_call' as const,
      callId: id,
      toolName,
      arguments: args,
    }))
    messages.push(assistant(...(text === '' ? [] : [said(text)]), ...parts))
    if (parts.length === 0) return { calls: made, text: texts.at(-1) ?? '', texts }
    for (const part of parts) expect(registry.prepare(part).do).not.toBe('settle')
    made.push(...parts)
    const results = parts.map(({ callId, toolName, ...part }) => ({
      callId,
      toolName,
      ...answer({ callId, toolName, ...part }, round),
    }))
    messages.push({ role: 'tool', results })
  }
  throw new Error('the demo does not come to an end')
}

const names = (calls: readonly Call[]): string[] => calls.map(({ toolName }) => toolName)
const accept = (): Answer => ({ ok: true, text: 'exit code 0' })
const reject = (): Answer => ({
  ok: false,
  text: 'tool_denied: The person rejected this, and said: not on a Friday',
})

describe('[SES4] the demo model asks', () => {
  test.each([
    ['Ask before running a command', 'command'],
    ['Edit a sensitive file', 'sensitive file'],
    ['Post something to the web', 'post'],
    ['Ask me some questions', 'questions'],
    ['Make a plan first', 'plan'],
    ['Finish a task', 'finish a task'],
  ])('%j plays %s', (question, name) => {
    expect(findScene(question).offer).toMatch(new RegExp(`^\\*\\*${name}\\*\\*`))
  })

  test('[DEC1] about commands, and tells what came of each', async () => {
    const { calls, text } = await play('run a command', ({ arguments: args }) =>
      args.includes('rm') ? reject() : accept(),
    )
    expect(names(calls)).toEqual(['bash', 'bash'])
    expect(text).toContain(
      '`rm -rf build` was not done: The person rejected this, and said: not on',
    )
    expect(text).toContain('exit code 0')
  })

  test('[DEC2] and says what was changed before it ran', async () => {
    const { text } = await play('run a command', () => ({
      ok: true,
      text: '[The person changed the call before it ran. What ran: {"command":"ls"}]\nexit code 0',
    }))
    expect(text).toContain('was changed first to `{"command":"ls"}`: exit code 0')
  })

  test('[DEC1] about a sensitive file twice, or once where it is rejected', async () => {
    const accepted = await play('a sensitive file', accept)
    expect(names(accepted.calls)).toEqual(['write_file', 'edit_file'])
    const rejected = await play('a sensitive file', reject)
    expect(names(rejected.calls)).toEqual(['write_file'])
    expect(rejected.text).toContain('I leave it alone then.')
  })

  test('[DEC1] about what leaves this machine, as a form of plain values', async () => {
    const { calls, text } = await play('post', () => ({
      ok: true,
      text: 'POST https://example.com/hook was answered with status 200.\nThe answer is empty.',
    }))
    expect(names(calls)).toEqual(['web_post'])
    const values = Object.values(JSON.parse(calls[0]!.arguments) as object)
    expect(values.every((value) => typeof value === 'string')).toBe(true)
    expect(text).toContain(
      '`https://example.com/hook`: POST https://example.com/hook was answered with status 200.',
    )
    expect(text).toContain('It is sent, and once')
  })

  test('[DEC2] and says that nothing left where it was rejected, or that it failed', async () => {
    const rejected = await play('post', reject)
    expect(rejected.text).toContain(
      'was not done: The person rejected this, and said: not on a Fri',
    )
    expect(rejected.text).toContain('Nothing has left this machine.')
    const failed = await play('post', () => ({
      ok: false,
      text: 'tool_error: https://example.com/hook gave no answer.',
    }))
    expect(failed.text).toContain('*`web_post` failed:* tool_error: https://example.com/hook gave')
    expect(failed.text).toContain('I do not try again by myself')
    const changed = await play('post', () => ({
      ok: false,
      text:
        'tool_error: [The person changed the call before it ran. What ran: {"body":"1"}] ' +
        'http://a.example gave no answer.',
    }))
    expect(changed.text).toContain(
      'was changed first to `{"body":"1"}`: *`web_post` failed:* tool_error: http://a.example gave',
    )
  })

  test('[DEC5] several questions at once, and repeats the answers', async () => {
    const { calls, text } = await play('ask me questions', () => ({
      ok: true,
      text: 'Which colour?\n→ red',
    }))
    const prepared = registry.prepare(calls[0]!)
    expect(prepared.do === 'ask' && prepared.questions).toHaveLength(3)
    expect(text).toContain('> Which colour?\n> → red')
  })
})

const approved = (plan: object): Answer => ({
  ok: true,
  text: `The person approved the plan with changes. It is:\n${JSON.stringify(plan)}\nYou may act on it now.`,
})
const mine = (status: string) => ({ title: 'Mine', steps: [{ text: 'Only this', status }] })

describe('[DEC7] the demo model plans', () => {
  test('and works on the plan as it was changed and approved', async () => {
    const plan = { title: 'Mine', steps: [{ id: '1', text: 'Only this', status: 'pending' }] }
    const { calls } = await play('make a plan', ({ toolName }, round) =>
      toolName === 'update_plan' && round === 0 ? approved(plan) : accept(),
    )
    expect(names(calls)).toEqual([
      'update_plan',
      'update_plan',
      'countdown',
      'update_plan',
      'finalize_task',
    ])
    expect(JSON.parse(calls[1]!.arguments)).toEqual(mine('active'))
    expect(JSON.parse(calls[3]!.arguments)).toEqual(mine('done'))
    expect(calls[4]!.arguments).toContain('**Mine** is done:')
  })

  test('and does nothing where it is not approved', async () => {
    const { calls, text } = await play('make a plan', reject)
    expect(names(calls)).toEqual(['update_plan'])
    expect(text).toContain('not on a Friday')
  })

  test('and begins at once where nobody is asked', async () => {
    const { calls } = await play('make a plan', () => ({ ok: true, text: 'The plan was updated.' }))
    expect(JSON.parse(calls[1]!.arguments)).toMatchObject({ title: 'Light the lamp' })
  })

  test('a result that only looks like a plan is none', async () => {
    const { calls } = await play('make a plan', () => ({ ok: true, text: '{"title":1}\n{"a"}' }))
    expect(JSON.parse(calls[1]!.arguments)).toMatchObject({ title: 'Light the lamp' })
  })
})

test('[UI2] the demo model ends a task with what is left open', async () => {
  const { calls } = await play('finish a task', accept)
  expect(JSON.parse(calls[0]!.arguments)).toMatchObject({ outcome: 'partly' })
})

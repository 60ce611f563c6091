import { expect, test } from 'vitest'
import type { ToolPart } from './turns.ts'
import { describeTool } from './describe-tool.ts'
import { readPartialObject } from './partial-json.ts'

const call = (toolName: string, args: string, rest: Partial<ToolPart> = {}): ToolPart => ({
  kind: 'tool',
  callId: 'c',
  toolName,
  arguments: args,
  status: 'pending',
  startedAt: 0,
  output: '',
  ...rest,
})

test.each<[string, string, string, string, string]>([
  ['current_time', '{}', 'clock', 'Checking the time', 'Checked the time'],
  [
    'current_time',
    '{"timezone":"Asia/Tokyo"}',
    'clock',
    'Checking the time in Asia/Tokyo',
    'Checked the time in Asia/Tokyo',
  ],
  ['calculate', '{"expression":"2 + 2"}', 'calculator', 'Calculating 2 + 2', 'Calculated 2 + 2'],
  [
    'countdown',
    '{"from":3,"label":"launch"}',
    'timer',
    'Counting down from 3 to launch',
    'Counted down from 3 to launch',
  ],
  ['text_stats', '{"text":"a b"}', 'text', 'Measuring “a b”', 'Measured “a b”'],
  ['think', '{"thought":"hm"}', 'thought', 'Thinking', 'Thought'],
  [
    'web_fetch',
    '{"url":"https://x"}',
    'tool',
    'Calling web_fetch with https://x',
    'Called web_fetch with https://x',
  ],
  ['bash', '{"command":"ls -l"}', 'terminal', 'Running ls -l', 'Ran ls -l'],
  ['read_file', '{"path":"a.txt"}', 'file', 'Reading a.txt', 'Read a.txt'],
  ['write_file', '{"path":"a.txt"}', 'file', 'Writing a.txt', 'Wrote a.txt'],
  ['edit_file', '{"path":"a.txt"}', 'file', 'Editing a.txt', 'Edited a.txt'],
  ['delete_file', '{"path":"a.txt"}', 'file', 'Deleting a.txt', 'Deleted a.txt'],
  ['move_file', '{"from":"a","to":"b"}', 'file', 'Moving a', 'Moved a'],
  ['list_files', '{"path":"docs"}', 'file', 'Listing files in docs', 'Listed files in docs'],
  ['search_files', '{"pattern":"x+"}', 'file', 'Searching for x+', 'Searched for x+'],
  [
    'web_post',
    '{"url":"https://example.org:8443/hook?a","body":"1"}',
    'globe',
    'Posting to example.org:8443',
    'Posted to example.org:8443',
  ],
  [
    'web_post',
    '{"url":"https://аpple.com"}',
    'globe',
    'Posting to xn--pple-43d.com',
    'Posted to xn--pple-43d.com',
  ],
  ['web_post', '{"url":"exam', 'globe', 'Posting to exam', 'Posted to exam'],
  ['web_post', '{"url":7}', 'globe', 'Posting to 7', 'Posted to 7'],
  ['web_post', '{}', 'globe', 'Posting', 'Posted'],
  ['ask_user', '{"questions":[]}', 'info', 'Asking you', 'Asked you'],
  ['update_plan', '{"title":"T"}', 'list', 'Updating the plan', 'Updated the plan'],
  ['finalize_task', '{"summary":"S"}', 'check', 'Finishing', 'Finished'],
  ['mission_done', '{"summary":"S"}', 'check', 'Ending the mission', 'Ended the mission'],
  ['agents_message', '{"to":"scout","message":"?"}', 'users', 'Asking scout', 'Asked scout'],
  [
    'agents_spawn',
    '{"agent":"coder","task":"Count"}',
    'users',
    'Starting coder: Count',
    'Started coder: Count',
  ],
  [
    'agents_spawn',
    '{"task":"Count"}',
    'users',
    'Starting a child: Count',
    'Started a child: Count',
  ],
  ['agents_list', '{}', 'users', 'Looking up the agents', 'Looked up the agents'],
  ['none', '{"list":[1]}', 'tool', 'Calling none', 'Called none'],
])(
  '[UI2] %s %s is described while it runs and when it is done',
  (name, args, icon, doing, done) => {
    expect(describeTool(call(name, args))).toEqual({ icon, text: doing, detail: '' })
    const success = describeTool(call(name, args, { status: 'success', result: 'R' }))
    expect(success).toEqual({ icon, text: done, detail: 'R' })
  },
)

test.each<[ToolPart['status'], string]>([
  ['error', 'Calculating 1/0 failed'],
  ['interrupted', 'Calculating 1/0 was interrupted'],
  ['denied', 'Calculating 1/0 was denied'],
])('[UI2] a call that ended with %s says so, and why', (status, text) => {
  const error = { code: 'tool_error', message: 'division by zero' } as const
  const part = call('calculate', '{"expression":"1/0"}', { status, error })
  expect(describeTool(part)).toEqual({ icon: 'calculator', text, detail: 'division by zero' })
})

test('[DEC2] a call that a person changed is described as it ran', () => {
  const decision = {
    decisionId: 'd',
    kind: 'command',
    status: 'accepted',
    severity: 'medium',
    reason: '',
  } as const
  const bash = call('bash', '{"command":"ls"}', {
    decision: { ...decision, edits: { command: 'ls -l' } },
  })
  expect(describeTool(bash).text).toBe('Running ls -l')
  const write = call('write_file', '{"path":"a"}', {
    decision: { ...decision, edits: { arguments: '{"path":"b"}' } },
  })
  expect(describeTool(write).text).toBe('Writing b')
})

test('[UI2] a running tool shows the end of its output', () => {
  const output = Array.from({ length: 500 }, (_, i) => `line ${i}\n`).join('')
  const { detail } = describeTool(call('countdown', '{}', { output }))
  expect(detail.endsWith('line 499')).toBe(true)
  expect(detail.length).toBeLessThanOrEqual(500)
})

test('[TOOL2] arguments may stop anywhere while they stream in', () => {
  const whole =
    '{"a":"x\\n\\u00e9\\"y","expression":"2*(3+4)","n":[1,{"b":null}],"t":true,"d":-1.5e3}'
  for (let end = 0; end <= whole.length; end++) {
    const prefix = whole.slice(0, end)
    const { text } = describeTool(call('calculate', prefix, { status: 'preparing' }))
    expect(text.startsWith('Calculating')).toBe(true)
    const fields = readPartialObject(prefix)
    const last = Object.keys(JSON.parse(whole) as object).slice(0, Object.keys(fields).length)
    expect(Object.keys(fields)).toEqual(last)
  }
  expect(readPartialObject(whole)).toEqual(JSON.parse(whole))
  expect(readPartialObject('{"expression":"2*(3').expression).toBe('2*(3')
  expect(readPartialObject('{"a":"x\\u00')).toEqual({ a: 'x' })
  expect(readPartialObject('{"a":1,"b')).toEqual({ a: 1 })
})

const HOSTILE: unknown[] = [
  '',
  'null',
  '[]',
  '"text"',
  '}}}',
  '{'.repeat(10_000),
  '['.repeat(10_000),
  ','.repeat(10_000),
  `{"expression":"${'9'.repeat(1_000_000)}`,
  '{"__proto__":{"x":1},"constructor":"y","toString":5}',
  '{"expression":{"toString":1}}',
  '\ud800',
  undefined,
  null,
  5,
  { toString: () => 'x' },
]

test('[SAF2] hostile names, arguments and results are described within bounds', () => {
  const names = [...HOSTILE, 'calculate', 'countdown', '__proto__', 'constructor', 'text_stats']
  for (const toolName of names) {
    for (const value of HOSTILE) {
      const part = { ...call('', ''), toolName, arguments: value, output: value, result: value }
      const { icon, text, detail } = describeTool(part as unknown as ToolPart)
      expect(icon).toMatch(/^[a-z]{1,12}$/)
      expect(text.length).toBeGreaterThan(0)
      expect(text.length).toBeLessThanOrEqual(120)
      expect(detail.length).toBeLessThanOrEqual(500)
    }
  }
})

test('[SAF2] nothing that a terminal or a display would obey comes through', () => {
  const evil = 'a\u001b[31mred\u0007\u202egnp.exe\u2066b\r\u009b2Jc'
  const args = JSON.stringify({ expression: evil })
  const part = call('calculate', args, { status: 'success', result: `${evil}\nsecond\tline` })
  const { text, detail } = describeTool(part)
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
  // oxlint-disable-next-line no-control-regex
  expect(detail.replaceAll(/[\n\t]/g, '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2066]/)
  expect(detail).toContain('\nsecond\tline')
})

test('a cut never splits a character in two', () => {
  const { text } = describeTool(call('🙂'.repeat(100), '{}'))
  expect(text.isWellFormed()).toBe(true)
  const output = '🙂'.repeat(1000)
  expect(describeTool(call('x', '{}', { output: `${output}.` })).detail.isWellFormed()).toBe(true)
  expect(describeTool(call('x', '{}', { output })).detail.isWellFormed()).toBe(true)
})

test('[UI2] [AGT3] an agent that was written to by the id of its session is named', () => {
  const exchange = {
    exchangeId: 'x',
    toSessionId: 'session-bbbbbbbbbb',
    toAgent: 'scout',
    text: '?',
    wait: true,
  }
  const asked = call('agents_message', '{"to":"session-bbbbbbbbbb"}', { exchange })
  expect(describeTool(asked).text).toBe('Asking scout')
})

test('[UI2] what came of a call that a person had changed is what came of it, not the note to the model', () => {
  const note = '[The person changed the call before it ran. What ran: {"command":"ls [a]"}]'
  const done = call('bash', '{"command":"ls"}', {
    status: 'success',
    result: `${note}\nexit code 0`,
  })
  expect(describeTool(done).detail).toBe('exit code 0')
  const error = { code: 'tool_error', message: `${note} It failed.` } as const
  expect(describeTool(call('bash', '{}', { status: 'error', error })).detail).toBe('It failed.')
})

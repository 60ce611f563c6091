import { expect, test } from 'vitest'
import { repairLine, type RepairState } from './openai-repair.ts'

const fresh = (): RepairState => ({ isFinished: false, hasCalls: false })
const calls = (...list: object[]) => ({ choices: [{ delta: { tool_calls: list } }] })
const finish = (reason: string) =>
  `{"choices":[{"index":0,"delta":{},"finish_reason":"${reason}"}]}`

function repair(chunk: unknown): unknown {
  const line = `data: ${JSON.stringify(chunk)}`
  const repaired = repairLine(line, fresh())
  return repaired === line ? 'as it was' : JSON.parse(repaired.slice('data: '.length))
}

test.each<[string, unknown, unknown]>([
  ['an error that is none', { choices: [], error: null }, { choices: [] }],
  [
    'usage without choices',
    { usage: { prompt_tokens: 1 } },
    { choices: [], usage: { prompt_tokens: 1 } },
  ],
  ['choices that are null', { choices: null }, { choices: [] }],
  [
    'the role of a model',
    { choices: [{ delta: { role: 'model' } }] },
    { choices: [{ delta: { role: 'assistant' } }] },
  ],
  [
    'arguments as an object',
    calls({ function: { name: 'look', arguments: { at: 1 } } }),
    calls({ function: { name: 'look', arguments: '{"at":1}' } }),
  ],
  [
    'a call without its function',
    calls({ name: 'look', arguments: { at: 1 } }),
    calls({
      name: 'look',
      arguments: { at: 1 },
      function: { name: 'look', arguments: '{"at":1}' },
    }),
  ],
  [
    'an id that is a number',
    calls({ id: 7, function: { name: 'look' } }),
    calls({ id: '7', function: { name: 'look' } }),
  ],
])('[BAK1] repairs %s', (_, chunk, repaired) => {
  expect(repair(chunk)).toEqual(repaired)
})

test.each<[string, unknown]>([
  ['an ordinary chunk', calls({ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } })],
  ['an error', { error: { message: 'no' } }],
  ['an error with usage', { error: { message: 'no' }, usage: {} }],
  ['something else', { object: 'list' }],
  ['no object', [1]],
  ['null', null],
])('[BAK1] leaves %s as it was', (_, chunk) => {
  expect(repair(chunk)).toBe('as it was')
})

test('[BAK1] a server that is done without a reason gets one, and only then', () => {
  const state = fresh()
  expect(repairLine('data: [DONE]', state)).toBe(`data: ${finish('stop')}\n\ndata: [DONE]`)
  repairLine(`data: ${JSON.stringify(calls({ function: { name: 'look' } }))}`, state)
  expect(repairLine('data:[DONE]', state)).toContain(finish('tool_calls'))
  repairLine(`data: ${finish('stop')}`, state)
  expect(repairLine('data: [DONE]', state)).toBe('data: [DONE]')
  for (const line of ['', ': comment', 'event: x', 'data: {"cho']) {
    expect(repairLine(line, fresh())).toBe(line)
  }
})

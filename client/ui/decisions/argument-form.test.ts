import { describe, expect, test } from 'vitest'
import { isSameJson, readFields, readJson, toFields, type ArgumentField } from './argument-form.ts'

const ARGUMENTS = '{"to":"ada","copies":3,"urgent":true,"rate":-0.5}'

describe('[DEC2] arguments as a form', () => {
  test('flat arguments are fields, and the fields are the same arguments again', () => {
    const fields = toFields(ARGUMENTS)!
    expect(fields.map(({ type }) => type)).toEqual(['text', 'number', 'switch', 'number'])
    expect(readFields(fields)).toEqual({ ok: true, json: ARGUMENTS })
  })

  test.each([
    ['{"list":[1]}'],
    ['{"inner":{}}'],
    ['{"nothing":null}'],
    ['{"big":9007199254740993}'],
    ['{}'],
    ['[]'],
    ['"text"'],
    ['not JSON'],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`f${i}`, i])))],
  ])('%s is edited as JSON', (json) => {
    expect(toFields(json)).toBe(null)
  })

  test.each(['', ' ', 'three', '1e999', '1,5'])(
    '%j is no number, and the field says so',
    (value) => {
      const fields: ArgumentField[] = [
        { name: 'to', type: 'text', value: 'ada' },
        { name: 'copies', type: 'number', value },
      ]
      expect(readFields(fields)).toEqual({
        ok: false,
        field: 'copies',
        message: 'This is not a number.',
      })
    },
  )

  test('a name that means something to JavaScript is a name like any other', () => {
    const json = '{"__proto__":"x","constructor":"y"}'
    expect(readFields(toFields(json)!)).toEqual({ ok: true, json })
  })
})

describe('[DEC2] arguments as JSON', () => {
  test('an object is taken, without its spaces', () => {
    expect(readJson('{ "a": [1, 2] }\n')).toEqual({ ok: true, json: '{"a":[1,2]}' })
  })

  test.each(['[]', 'null', '3', '"a"'])('%s is no object', (text) => {
    expect(readJson(text)).toMatchObject({ ok: false, field: null })
  })

  test('what is not JSON says why', () => {
    expect(readJson('{"a":')).toMatchObject({
      ok: false,
      message: expect.stringContaining('This is not JSON: '),
    })
  })

  test('only a change of what it says is a change', () => {
    expect(isSameJson('{"a":1}', '{\n  "a": 1\n}')).toBe(true)
    expect(isSameJson('{"a":1}', '{"a":2}')).toBe(false)
    expect(isSameJson('{"a":1', '{"a":1')).toBe(false)
  })
})

import { describe, expect, test } from 'vitest'
import { CLIENT_FRAME_BYTES, COMMAND_ID_CHARS, MESSAGE_TEXT_BYTES } from './limits.ts'
import { parseClientFrame, parseCommand, parseJson, type Parsed } from './parse.ts'

const parse = (value: unknown): Parsed<unknown> => parseClientFrame(JSON.stringify(value))
const accepted = (value: unknown): unknown => {
  const frame = parse(value)
  return frame.ok ? frame.value : frame.rejection
}
const send = (text: string) => ({ type: 'send', id: 'a', text })
const quoted = (units: number): string => `"${'é'.repeat(units)}"`
const refusal = (value: unknown) => {
  const frame = parse(value)
  if (frame.ok) throw new Error(`accepted: ${JSON.stringify(value)}`)
  return { id: frame.id, ...frame.rejection }
}

describe('bytes', () => {
  test('[SAF2] size is checked before JSON: too much garbage is too large, not malformed', () => {
    const frame = parseClientFrame('{'.repeat(CLIENT_FRAME_BYTES + 1))
    expect(frame).toMatchObject({ ok: false, id: null, rejection: { code: 'too_large' } })
  })

  test('[SAF2] size counts bytes, not characters', () => {
    const fits = (CLIENT_FRAME_BYTES - 2) / 2
    expect(parseJson(quoted(fits))).toEqual({ ok: true, value: 'é'.repeat(fits) })
    expect(parseJson(quoted(fits + 1))).toMatchObject({ rejection: { code: 'too_large' } })
  })

  test.each(['', 'ping', '{', '{"type":"cancel"', 'undefined', '\u0000'])(
    '[SAF2] %j is refused as not JSON',
    (raw) => {
      expect(parseClientFrame(raw)).toEqual({
        ok: false,
        id: null,
        rejection: { code: 'bad_request', message: 'not valid JSON' },
      })
    },
  )

  test.each([null, 5, 'text', true, [], [{ type: 'cancel', id: 'a' }], {}])(
    '[SAF2] %j is JSON and no frame',
    (value) => {
      expect(refusal(value)).toMatchObject({ id: null, code: 'bad_request' })
    },
  )
})

describe('hello', () => {
  const hello = { type: 'hello', version: 1, after: 0 }

  test('[LOG3] after may be 0 (everything), a seq, or null (the end)', () => {
    for (const after of [0, 1, 5000, null]) {
      expect(accepted({ ...hello, after })).toEqual({ ...hello, after })
    }
  })

  test('[LOG3] after must be said: leaving it out is not the same as null', () => {
    expect(refusal({ type: 'hello', version: 1 })).toMatchObject({ code: 'bad_request' })
    expect(refusal({ type: 'hello', version: 1 }).message).toMatch(/^after: /)
  })

  test.each([-1, 1.5, '3', true, Number.MAX_SAFE_INTEGER + 1])(
    '[SAF2] refuses after %j by its path',
    (after) => {
      expect(refusal({ ...hello, after }).message).toMatch(/^after: /)
    },
  )

  test('[LOG7] tail is from 1 to 1000', () => {
    for (const tail of [1, 200, 1000]) {
      expect(accepted({ ...hello, after: null, tail })).toMatchObject({ tail })
    }
    for (const tail of [0, -1, 1001, 2.5, '10', null]) {
      expect(refusal({ ...hello, after: null, tail }).message).toMatch(/^tail: /)
    }
  })

  test('[SAF2] version is a whole number from 1 on', () => {
    expect(accepted({ ...hello, version: 99 })).toMatchObject({ version: 99 })
    for (const version of [0, 1.5, '1', undefined]) {
      expect(refusal({ ...hello, version }).message).toMatch(/^version: /)
    }
  })

  test('a field of a newer client is dropped: hello is how versions meet', () => {
    expect(accepted({ ...hello, later: 'field' })).toEqual(hello)
  })
})

describe('seen', () => {
  test('[LOG6] names a seq', () => {
    expect(accepted({ type: 'seen', seq: 0 })).toEqual({ type: 'seen', seq: 0 })
    expect(refusal({ type: 'seen' }).message).toMatch(/^seq: /)
    expect(refusal({ type: 'seen', seq: -1 }).message).toMatch(/^seq: /)
  })
})

describe('commands', () => {
  test.each([
    { type: 'send', id: 'a', text: 'hello' },
    { type: 'send', id: 'a', text: 'hello', to: 'someone', delivery: 'steer' },
    { type: 'send', id: 'a', text: 'x', attachments: [{ name: 'n', content: '', range: '1-2' }] },
    { type: 'cancel', id: 'a' },
    { type: 'cancel', id: 'a', runId: 'session-0123456789.3', audioTruncatedAtMs: 0 },
    { type: 'continue', id: 'a' },
    { type: 'queue_edit', id: 'a', itemId: 'm1', text: 'hello' },
    { type: 'queue_remove', id: 'a', itemId: 'm1' },
    { type: 'queue_move', id: 'a', itemId: 'm1', before: null },
    { type: 'queue_move', id: 'a', itemId: 'm1', before: 'm2' },
    { type: 'queue_send_now', id: 'a', itemId: 'm1' },
    { type: 'configure', id: 'a', title: 'Plans', pinned: true, recovery: 'stop', mode: 'ask' },
    { type: 'clear', id: 'a' },
  ])('[API1] accepts %j as it is', (command) => {
    expect(accepted(command)).toEqual(command)
  })

  test.each<[Record<string, unknown>, string]>([
    [{ type: 'send', id: 'a' }, 'text'],
    [{ type: 'send', id: 'a', text: 5 }, 'text'],
    [{ type: 'send', id: 'a', text: ' \n' }, 'text'],
    [{ type: 'send', id: 'a', text: 'x', delivery: 'now' }, 'delivery'],
    [{ type: 'send', id: 'a', text: 'x', to: '' }, 'to'],
    [{ type: 'send', id: 'a', text: 'x', attachments: [{ name: 'n' }] }, 'attachments.0.content'],
    [{ type: 'cancel', id: 'a', audioTruncatedAtMs: -1 }, 'audioTruncatedAtMs'],
    [{ type: 'queue_move', id: 'a', itemId: 'm1' }, 'before'],
    [{ type: 'queue_edit', id: 'a', itemId: '', text: 'x' }, 'itemId'],
    [{ type: 'configure', id: 'a', pinned: 'yes' }, 'pinned'],
    [{ type: 'configure', id: 'a', title: '  ' }, 'title'],
    [{ type: 'configure', id: 'a', sensitivePatterns: ['ok', 5] }, 'sensitivePatterns.1'],
  ])('[SAF2] %j is refused by the path of the wrong field, %s', (command, path) => {
    const { id, code, message } = refusal(command)
    expect({ id, code }).toEqual({ id: 'a', code: 'bad_request' })
    expect(message.slice(0, message.indexOf(': '))).toBe(path)
  })

  test('[SAF2] an unknown command is refused with its id, so that the sender learns of it', () => {
    const { id, code, message } = refusal({ type: 'explode', id: 'a' })
    expect({ id, code }).toEqual({ id: 'a', code: 'bad_request' })
    expect(message).toMatch(/^type: /)
  })

  test('[SAF2] an unknown field is refused by name: a typo must not be ignored', () => {
    expect(refusal({ type: 'send', id: 'a', text: 'x', delivry: 'steer' }).message).toMatch(
      /^delivry: /,
    )
    expect(refusal({ type: 'cancel', id: 'a', run_id: 'x' }).message).toMatch(/^run_id: /)
  })

  test('[SAF2] ids are printable ASCII of a bounded length', () => {
    const long = 'x'.repeat(COMMAND_ID_CHARS)
    expect(accepted({ type: 'clear', id: long })).toEqual({ type: 'clear', id: long })
    for (const id of ['', 'a b', 'ä', 'a\n', `${long}x`, 5, null, undefined]) {
      expect(refusal({ type: 'clear', id }).message).toMatch(/^id: /)
    }
  })

  test('[SAF2] a refusal repeats an id only where it is short enough to be one', () => {
    expect(refusal({ type: 'explode', id: 'x'.repeat(201) }).id).toBe(null)
    expect(refusal({ type: 'explode', id: 5 }).id).toBe(null)
  })

  test('[SAF2] text over 256 KiB is too large, and exactly that is not', () => {
    expect(accepted(send('x'.repeat(MESSAGE_TEXT_BYTES)))).toMatchObject({ type: 'send' })
    for (const text of [
      'x'.repeat(MESSAGE_TEXT_BYTES + 1),
      'é'.repeat(MESSAGE_TEXT_BYTES / 2 + 1),
    ]) {
      const { id, code, message } = refusal(send(text))
      expect({ id, code }).toEqual({ id: 'a', code: 'too_large' })
      expect(message).toMatch(/^text: .*262144/)
    }
    const edit = {
      type: 'queue_edit',
      id: 'a',
      itemId: 'm',
      text: 'x'.repeat(MESSAGE_TEXT_BYTES + 1),
    }
    expect(refusal(edit)).toMatchObject({ code: 'too_large' })
  })

  test('[LOG5] the same command reads the same however its fields are ordered', () => {
    const one = parseCommand({ type: 'send', id: 'a', text: 'x', delivery: 'steer' })
    const two = parseCommand({ delivery: 'steer', text: 'x', id: 'a', type: 'send' })
    expect(JSON.stringify(one)).toBe(JSON.stringify(two))
  })

  test('[SAF2] half a surrogate pair is repaired at the door, unit for unit', () => {
    const attachments = [{ name: 'n\udc00', content: 'c\ud800' }]
    expect(accepted({ ...send('a\ud800b'), attachments })).toMatchObject({
      text: 'a\ufffdb',
      attachments: [{ name: 'n\ufffd', content: 'c\ufffd' }],
    })
    expect(accepted({ type: 'configure', id: 'a', title: 't\ud800' })).toMatchObject({
      title: 't\ufffd',
    })
  })

  test('[SES1] a title is trimmed', () => {
    expect(accepted({ type: 'configure', id: 'a', title: '  Plans ' })).toMatchObject({
      title: 'Plans',
    })
  })
})

import { describe, expect, test } from 'vitest'
import { parseMcpServers } from './settings.ts'

const SECRET = 'sk-0123456789'
const parse = (value: unknown) => parseMcpServers(JSON.stringify(value))

test('[TOOL8] servers have a name, an address, and what they are sent', () => {
  const headers = { authorization: `Bearer ${SECRET}` }
  const parsed = parse({
    mail: { url: 'https://mail.example/mcp?key=1', headers, timeMs: 5000 },
    'files-2': { url: 'http://127.0.0.1:4000/mcp' },
  })
  expect(parsed).toEqual({
    ok: true,
    servers: [
      { name: 'mail', url: new URL('https://mail.example/mcp?key=1'), headers, timeMs: 5000 },
      { name: 'files-2', url: new URL('http://127.0.0.1:4000/mcp'), headers: {} },
    ],
  })
})

test('[TOOL8] nothing configured is no servers', () => {
  for (const text of ['', '  \n', '{}']) {
    expect(parseMcpServers(text)).toEqual({ ok: true, servers: [] })
  }
})

describe('[SAF3] what is wrong is said without a value of it', () => {
  const url = 'https://mail.example/mcp'
  const wrong: [string, string, string][] = [
    ['no JSON', `{"mail": {"headers": {"x": "${SECRET}"}`, 'is not valid JSON'],
    ['a list', `["${SECRET}"]`, 'expected {"name": {"url": "https://…"}}'],
    ['null', 'null', 'expected {"name": {"url": "https://…"}}'],
    ['a text', `"${SECRET}"`, 'expected {"name": {"url": "https://…"}}'],
    ['a secret as name', JSON.stringify({ [`${SECRET}_`]: { url } }), 'a server name has'],
    ['a name that is too long', JSON.stringify({ ['a'.repeat(33)]: { url } }), 'a server name has'],
    ['no address', '{"mail": {}}', 'mail: url is wrong'],
    ['an address alone', `{"mail": "${SECRET}"}`, 'mail: expected url, headers and timeMs only'],
    ['a field too many', JSON.stringify({ mail: { url, [SECRET]: 1 } }), 'mail: expected url'],
    ['no real address', JSON.stringify({ mail: { url: SECRET } }), 'mail: url is not an http(s)'],
    ['a file', JSON.stringify({ mail: { url: `file:///${SECRET}` } }), 'mail: url is not an http'],
    [
      'credentials in the address',
      JSON.stringify({ mail: { url: `https://me:${SECRET}@mail.example/` } }),
      'mail: put credentials into headers',
    ],
    ['a header of numbers', JSON.stringify({ mail: { url, headers: { a: 1 } } }), 'mail: headers'],
    [
      'a header that cannot be sent',
      JSON.stringify({ mail: { url, headers: { authorization: `${SECRET}\na` } } }),
      'mail: a header has a name or a value that cannot be sent',
    ],
    ['no time', JSON.stringify({ mail: { url, timeMs: 0 } }), 'mail: timeMs is wrong'],
    ['too much time', JSON.stringify({ mail: { url, timeMs: 600_001 } }), 'mail: timeMs is wrong'],
    [
      'too many',
      JSON.stringify(
        Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`s${at}`, { url }])),
      ),
      'more than 20 servers',
    ],
  ]
  test.each(wrong)('%s', (_, text, problem) => {
    const parsed = parseMcpServers(text)
    expect(parsed).toEqual({ ok: false, problem: expect.stringContaining(problem) })
    expect(JSON.stringify(parsed)).not.toContain(SECRET)
  })
})

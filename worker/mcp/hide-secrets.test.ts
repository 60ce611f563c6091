import { describe, expect, test } from 'vitest'
import { hideSecrets } from './hide-secrets.ts'
import type { McpServer } from './settings.ts'

const server = (headers: Record<string, string>, url = 'https://mail.example/mcp'): McpServer => ({
  name: 'mail',
  url: new URL(url),
  headers,
})

describe('[SAF3] no text of a server shows what it was sent', () => {
  test('a header value, whole or without its scheme, wherever it is', () => {
    const mail = server({ authorization: 'Bearer abc-123456', 'x-key': 'other-key' })
    expect(hideSecrets('got Bearer abc-123456, abc-123456 and other-key.', mail)).toBe(
      'got [hidden], [hidden] and [hidden].',
    )
  })

  test('a value that is part of another leaves no rest', () => {
    const mail = server({ a: 'secret-1', b: 'secret-1-and-more' })
    expect(hideSecrets('secret-1-and-more', mail)).toBe('[hidden]')
  })

  test('within JSON, where it is written differently', () => {
    const mail = server({ authorization: 'a"quoted\\secret' })
    const text = JSON.stringify({ sent: 'a"quoted\\secret' })
    expect(hideSecrets(text, mail)).toBe('{"sent":"[hidden]"}')
  })

  test('keys of the address, decoded or not, and a path that is one', () => {
    const mail = server({}, 'https://mail.example/s/0123456789abcdef0123/mcp?key=a%2Fb%2Fcdef')
    expect(hideSecrets('a/b/cdef a%2Fb%2Fcdef 0123456789abcdef0123 mcp', mail)).toBe(
      '[hidden] [hidden] [hidden] mcp',
    )
  })

  test('a value with signs that a pattern would read', () => {
    const mail = server({ authorization: '$&.*+?^(x)[y]' })
    expect(hideSecrets('sent $&.*+?^(x)[y].', mail)).toBe('sent [hidden].')
  })

  test('short values are words, and stay', () => {
    const mail = server({ 'x-debug': 'true', 'x-empty': '' })
    expect(hideSecrets('this is true', mail)).toBe('this is true')
  })
})

import { expect, test } from 'vitest'
import { parseRoute, toPath } from './parse-route.ts'

const sessionId = 'abcdefghijklmnop'

test('[LOG8] a session, and an event in it, have an address', () => {
  expect(parseRoute(`/s/${sessionId}`, '')).toEqual({ name: 'session', sessionId, seq: null })
  expect(parseRoute(`/s/${sessionId}/`, '#42')).toEqual({ name: 'session', sessionId, seq: 42 })
  for (const path of [`/s/${sessionId}`, `/s/${sessionId}#42`, '/']) {
    const url = new URL(path, 'http://localhost')
    expect(toPath(parseRoute(url.pathname, url.hash))).toBe(path)
  }
})

test('anything else is a new chat', () => {
  for (const path of ['/', '/s/', '/s/short', '/s/../../etc/passwd', `/x/${sessionId}`]) {
    expect(parseRoute(path, '#composer')).toEqual({ name: 'new' })
  }
  expect(parseRoute(`/s/${sessionId}`, '#composer')).toMatchObject({ seq: null })
})

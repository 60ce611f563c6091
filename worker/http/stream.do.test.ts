import { env } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { call, createSession, refusalOf, UNKNOWN_ID } from '../testing/call-app.ts'
import { SseListener } from '../testing/sse-listener.ts'

const listen = async (id: string, query = '', headers = {}): Promise<SseListener> =>
  new SseListener(await call(`/api/sessions/${id}/stream${query}`, { headers }))

const rename = (id: string, title: string): Promise<Response> =>
  call(`/api/sessions/${id}`, { method: 'PATCH', json: { title } })

describe('stream', () => {
  test('[API1] replays the log, then goes on live', async () => {
    const { id } = await createSession()
    const listener = await listen(id)
    expect(await listener.take(2)).toMatchObject([
      { id: '1', data: { seq: 1, type: 'session_created' } },
      { id: '2', data: { seq: 2, type: 'session_configured' } },
    ])
    await rename(id, 'Live')
    expect(await listener.next()).toMatchObject({ id: '3', data: { changes: { title: 'Live' } } })
    await listener.close()
  })

  test('[API1] starts after what the client has: 0 is everything, Last-Event-ID wins', async () => {
    const { id } = await createSession()
    await rename(id, 'Three')
    const cases = [
      { query: '?after=0', headers: {}, first: '1' },
      { query: '?after=2', headers: {}, first: '3' },
      { query: '?after=2', headers: { 'last-event-id': '1' }, first: '2' },
      { query: '?after=2', headers: { 'last-event-id': '0' }, first: '1' },
    ]
    for (const { query, headers, first } of cases) {
      const listener = await listen(id, query, headers)
      expect(await listener.next()).toMatchObject({ id: first })
      await listener.close()
    }
  })

  test('[LOG3] a log longer than a page arrives whole and in order', async () => {
    const { id } = await createSession()
    const session = env.SESSION.getByName(id)
    const clears = Array.from({ length: 600 }, (_, index) =>
      session.command('owner', { type: 'clear', id: `clear-${index}` }),
    )
    await Promise.all(clears)
    const listener = await listen(id)
    const ids = (await listener.take(602)).map((message) => Number(message?.id))
    expect(ids).toEqual(Array.from({ length: 602 }, (_, index) => index + 1))
    await listener.close()
  })

  test('[LOG3] a run is heard to its end, without holes', async () => {
    const { id, seq } = await createSession()
    const listener = await listen(id, `?after=${seq}`)
    const json = { type: 'send', id: 'c1', text: 'hello' }
    await call(`/api/sessions/${id}/commands`, { json })
    const seqs: number[] = []
    for (;;) {
      const message = await listener.next()
      if (message?.event === 'fragment') {
        expect(message).not.toHaveProperty('id')
        expect(message.data).toMatchObject({ type: 'fragment', offset: expect.any(Number) })
        continue
      }
      seqs.push(Number(message?.id))
      if (message === null || message.data['type'] === 'run_done') break
    }
    expect(seqs).toEqual(seqs.map((_, index) => seq + 1 + index))
    await listener.close()
  })

  test('[LOG3] a client that is ahead of the log is told so, and the stream ends', async () => {
    const { id } = await createSession()
    const listener = await listen(id, '?after=1000')
    expect(await listener.next()).toEqual({ event: 'resync', data: { reason: 'ahead' } })
    expect(await listener.next()).toBeNull()
  })

  test('[API1] the socket behind it is closed when the client goes', async () => {
    const { id } = await createSession()
    const listener = await listen(id)
    await listener.take(2)
    await rename(id, 'Connected')
    await listener.next()
    expect(await (await call(`/api/sessions/${id}/stats`)).json()).toMatchObject({ sockets: 1 })
    await listener.close()
    await expect
      .poll(async () => (await call(`/api/sessions/${id}/stats`)).json())
      .toMatchObject({ sockets: 0 })
  })

  test('[API1] ends when its session is deleted', async () => {
    const { id } = await createSession()
    const listener = await listen(id)
    await listener.take(2)
    await rename(id, 'Connected')
    await listener.next()
    await call(`/api/sessions/${id}`, { method: 'DELETE' })
    expect(await listener.next()).toBeNull()
  })

  test('[SAF2] an unknown session is 404 before a stream begins', async () => {
    const response = await call(`/api/sessions/${UNKNOWN_ID}/stream`)
    expect(await refusalOf(response)).toMatchObject({ status: 404, code: 'not_found' })
  })
})

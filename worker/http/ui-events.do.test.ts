import { abortAllDurableObjects, env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import type { SessionStats, SessionSummary } from '#protocol/http'
import { HUB_SESSIONS } from '#protocol/limits'
import type { UiSseMessage } from '#protocol/ui-message'
import { call, createSession, refusalOf, UNKNOWN_ID } from '../testing/call-app.ts'
import { model, script } from '../testing/live-session.ts'
import { SseListener } from '../testing/sse-listener.ts'

/** An owner for each test: what one does must not be in another's stream. */
type As = { vars: { PARLEY_TOKENS: string }; token: string }
let owners = 0
function newOwner(): As {
  owners += 1
  return {
    vars: { PARLEY_TOKENS: `tester-${owners}:tester-token-${owners}` },
    token: `tester-token-${owners}`,
  }
}

/** Two owners of one deployment. */
const TWO_OWNERS = { PARLEY_TOKENS: 'ann:ann-token,ben:ben-token' }
const asOf = (owner: 'ann' | 'ben'): As => ({ vars: TWO_OWNERS, token: `${owner}-token` })

class UiStream {
  /** With an id: those that are in a log. */
  readonly lasting: UiSseMessage[] = []
  readonly live: UiSseMessage[] = []
  private readonly listener: SseListener

  constructor(response: Response) {
    this.listener = new SseListener(response)
  }

  static async open(as: As, query = '', lastEventId?: string): Promise<UiStream> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    return new UiStream(await call(`/api/events${query}`, { ...as, headers }))
  }

  /** null: the stream ended. */
  async next(): Promise<UiSseMessage | null> {
    const message = await this.listener.next()
    if (message === null) return null
    expect(message).not.toHaveProperty('event')
    const data = message.data as UiSseMessage
    if (message.id === undefined) this.live.push(data)
    else {
      expect(message.id).toBe(data.id)
      this.lasting.push(data)
    }
    return data
  }

  async until(isSo: (message: UiSseMessage) => boolean): Promise<UiSseMessage> {
    for (;;) {
      const message = await this.next()
      if (message === null) throw new Error('the stream ended')
      if (isSo(message)) return message
    }
  }

  /** This many that last; what is live is passed over. */
  async take(count: number): Promise<UiSseMessage[]> {
    const from = this.lasting.length
    while (this.lasting.length < from + count) if ((await this.next()) === null) break
    return this.lasting.slice(from)
  }

  close(): Promise<void> {
    return this.listener.close()
  }
}

const isIdle = ({ data }: UiSseMessage): boolean => data?.['status'] === 'idle'
const isIdleIn =
  (sessionId: string) =>
  (message: UiSseMessage): boolean =>
    message.session_id === sessionId && isIdle(message)

const create = (as: As): Promise<SessionSummary> => createSession(as)
const send = (as: As, id: string, text: string): Promise<Response> =>
  call('/api/chat', { ...as, json: { session_id: id, text } })
const rename = (as: As, id: string, title: string): Promise<Response> =>
  call(`/api/sessions/${id}`, { ...as, method: 'PATCH', json: { title } })
const statsOf = async (as: As, id: string): Promise<SessionStats> =>
  (await call(`/api/sessions/${id}/stats`, as)).json()

const of = (id: string): string => `?session_id=${id}`

const toolCall = (id: string, name: string, args: object) => ({
  toolCall: { id, name, arguments: JSON.stringify(args), chunks: 3 },
})

/** A thought, a call, an answer that is longer than one row. */
const talk = script(
  [
    { reasoning: 'First the sum, then the answer. ' },
    { text: 'I will look it up. ' },
    toolCall('a', 'calculate', { expression: '6*7' }),
    { finish: 'tool_calls' },
  ],
  [{ repeat: 400, text: 'word after word ', perSecond: 2000 }, { finish: 'stop' }],
)

/** A session after one such run, and every message of it. */
async function recorded(as: As): Promise<{ id: string; messages: UiSseMessage[] }> {
  const { id } = await create(as)
  await send(as, id, talk)
  const stream = await UiStream.open(as, of(id))
  await stream.until(isIdle)
  await stream.close()
  return { id, messages: stream.lasting }
}

const labelOf = ({ kind, phase }: UiSseMessage): string => `${kind}/${phase ?? ''}`
const withoutPassing = (messages: readonly UiSseMessage[]): UiSseMessage[] =>
  messages.filter(({ kind }) => kind !== 'token' && kind !== 'tool_progress')

/** Connected: what is told from here on is live. */
async function openAll(as: As): Promise<UiStream> {
  const stream = await UiStream.open(as)
  expect(await stream.next()).toMatchObject({ phase: 'sync', data: { reason: 'connected' } })
  return stream
}

/** What one session says, as one who listens to it alone is told. */
async function tellAlone(as: As, id: string, after = 0): Promise<UiSseMessage[]> {
  const stream = await UiStream.open(as, `${of(id)}&after=${after}`)
  await stream.until(isIdle)
  await stream.close()
  return stream.lasting
}

const ofSession = (stream: UiStream, id: string): UiSseMessage[] =>
  stream.lasting.filter(({ session_id: sessionId }) => sessionId === id)

const isResync = ({ phase }: UiSseMessage): boolean => phase === 'resync'

/** A run says more than is kept for anybody, once its session is held by the one who listens. */
async function overflow(as: As, id: string, gate: string): Promise<void> {
  await send(as, id, script([{ gate }, ...MUCH[0]!], ...MUCH.slice(1), [{ finish: 'stop' }]))
  await model.reached(gate)
  await expect.poll(async () => (await statsOf(as, id)).sockets).toBe(1)
  await model.release(gate)
  await tellAlone(as, id)
}
/** In several steps: one alone is cut long before. */
const MUCH = Array.from({ length: 6 }, (_, step) => [
  { repeat: 100, text: `${'y'.repeat(9_999)} ` },
  toolCall(`much-${step}`, 'calculate', { expression: '6*7' }),
  { finish: 'tool_calls' },
])

describe('the events of a session', () => {
  test('[API1] are replayed, then go on live, in the words of the document', async () => {
    const as = newOwner()
    const { id } = await create(as)
    const stream = await UiStream.open(as, of(id))
    expect(await stream.take(2)).toMatchObject([
      { id: `${id}:1:1`, seq: 1, rev: 1, kind: 'run', phase: 'sync', session_id: id },
      { id: `${id}:2:1`, data: { reason: 'session_configured' } },
    ])
    await rename(as, id, 'Live')
    expect(await stream.next()).toMatchObject({
      id: `${id}:3:1`,
      data: { changes: { title: 'Live' } },
    })
    await send(as, id, talk)
    await stream.until(isIdle)
    const labels = new Set(stream.lasting.map(labelOf))
    for (const label of ['message/', 'token/', 'token/done', 'text_segment/', 'activity/doing']) {
      expect(labels).toContain(label)
    }
    expect(stream.lasting.at(-2)).toMatchObject({ phase: 'outcome', text: 'done' })
    const fragments = stream.live.filter(({ kind }) => kind === 'token')
    expect(fragments.length).toBeGreaterThan(0)
    for (const { data } of fragments) expect(data).toMatchObject({ fragment: true })
    await stream.close()
    const again = await UiStream.open(as, of(id))
    expect(await again.take(stream.lasting.length)).toEqual(stream.lasting)
    await again.close()
  })

  test('[LOG3] one who resumes from any message is given exactly the rest', async () => {
    const as = newOwner()
    const { id, messages } = await recorded(as)
    expect(messages.length).toBeGreaterThan(20)
    for (const [index, message] of messages.entries()) {
      const rest = messages.slice(index + 1)
      const stream = await UiStream.open(as, of(id), message.id)
      expect(await stream.take(rest.length), message.id).toEqual(rest)
      await stream.close()
    }
    // Nothing more than the rest: the next message is the next that happens.
    const stream = await UiStream.open(as, of(id), messages.at(-1)!.id)
    await rename(as, id, 'Next')
    expect(await stream.next()).toMatchObject({ data: { changes: { title: 'Next' } } })
    await stream.close()
  })

  test('[LOG3] after=seq gives what follows that event', async () => {
    const as = newOwner()
    const { id, messages } = await recorded(as)
    const { seq } = messages.at(-1)!
    for (let after = 0; after < seq; after++) {
      const rest = messages.filter((message) => message.seq > after)
      const stream = await UiStream.open(as, `${of(id)}&after=${after}`)
      expect(await stream.take(rest.length), `${after}`).toEqual(rest)
      await stream.close()
    }
  })

  test('[LOG3] a listener that is cut off in the middle of a run misses nothing', async () => {
    const as = newOwner()
    const { id } = await create(as)
    const reply = [
      { repeat: 20, text: 'before it, ', perSecond: 100 },
      { gate: 'ui-cut' },
      { text: 'after it.' },
      { finish: 'stop' },
    ]
    await send(as, id, script(reply))
    const first = await UiStream.open(as, of(id))
    await model.reached('ui-cut')
    await first.until(({ kind, data }) => kind === 'token' && data?.['fragment'] === undefined)
    await first.close()
    await model.release('ui-cut')
    const second = await UiStream.open(as, of(id), first.lasting.at(-1)!.id)
    await second.until(isIdle)
    await second.close()
    const whole = await UiStream.open(as, of(id))
    await whole.until(isIdle)
    await whole.close()
    expect([...first.lasting, ...second.lasting]).toEqual(whole.lasting)
  })

  test('[LOG3] one that is ahead of the log is told to read again, and the stream ends', async () => {
    const as = newOwner()
    const { id } = await create(as)
    for (const stream of [
      await UiStream.open(as, `${of(id)}&after=3`),
      await UiStream.open(as, of(id), `${id}:3:1`),
    ]) {
      expect(await stream.next()).toMatchObject({
        kind: 'run',
        phase: 'resync',
        session_id: id,
        data: { reason: 'ahead' },
      })
      expect(await stream.next()).toBeNull()
    }
  })

  test('[LOG6] one that takes nothing is told to read again instead of being kept in memory', async () => {
    const as = newOwner()
    const { id } = await create(as)
    const stream = await UiStream.open(as, of(id))
    await rename(as, id, 'Connected')
    await stream.take(3)
    await overflow(as, id, 'ui-slow')
    expect(await stream.until(isResync)).toMatchObject({ session_id: id, data: { reason: 'slow' } })
    expect(await stream.next()).toBeNull()
    const last = stream.lasting.at(-1)!
    const resumed = await UiStream.open(as, of(id), last.id)
    const [next] = await resumed.take(1)
    expect(next!.seq - last.seq).toBeLessThanOrEqual(1)
    await resumed.close()
  })

  test('[API1] the socket behind it is closed when the client goes', async () => {
    const as = newOwner()
    const { id } = await create(as)
    const stream = await UiStream.open(as, of(id))
    await rename(as, id, 'Connected')
    await stream.take(3)
    expect(await statsOf(as, id)).toMatchObject({ sockets: 1 })
    await stream.close()
    await expect.poll(() => statsOf(as, id)).toMatchObject({ sockets: 0 })
  })

  test('[SAF1] are not there for anybody else', async () => {
    const ann = asOf('ann')
    const ben = asOf('ben')
    const { id } = await create(ann)
    const cases = [
      { query: of(id), headers: {} },
      { query: `${of(id)}&after=1`, headers: {} },
      { query: of(id), headers: { 'last-event-id': `${id}:1:1` } },
      { query: of(UNKNOWN_ID), headers: {} },
      { query: of('rubbish'), headers: {} },
      { query: of(''), headers: {} },
    ]
    for (const { query, headers } of cases) {
      const response = await call(`/api/events${query}`, { ...ben, headers })
      expect(await refusalOf(response), query).toMatchObject({ status: 404, code: 'not_found' })
    }
  })

  test('[SAF2] a place that cannot be is refused, with its name', async () => {
    const as = newOwner()
    const { id } = await create(as)
    const refused = async (query: string, lastEventId?: string) => {
      const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
      const { status, code, message } = await refusalOf(
        await call(`/api/events${query}`, { ...as, headers }),
      )
      expect({ status, code }).toEqual({ status: 400, code: 'bad_request' })
      return message
    }
    expect(await refused(`${of(id)}&after=-1`)).toMatch(/^after: /)
    expect(await refused('?after=1')).toMatch(/^after: /)
    expect(await refused(of(id), '5')).toMatch(/^Last-Event-ID: /)
    expect(await refused(of(id), `${id}:0:1`)).toMatch(/^Last-Event-ID: /)
    expect(await refused(of(id), `${UNKNOWN_ID}:1:1`)).toMatch(/^Last-Event-ID: /)
    expect(await refused('', `${id}:x:1`)).toMatch(/^Last-Event-ID: /)
  })
})

describe('the events of all sessions', () => {
  test('[API1] two runs at once are told whole, each in its order, without tokens', async () => {
    const as = newOwner()
    const before = await create(as)
    const stream = await openAll(as)
    const { id: later } = await create(as)
    await Promise.all([send(as, before.id, talk), send(as, later, talk)])
    const waiting = new Set([before.id, later])
    while (waiting.size > 0) {
      const message = await stream.until(isIdle)
      waiting.delete(message.session_id!)
    }
    await stream.close()
    const expected = await tellAlone(as, before.id, before.seq)
    expect(ofSession(stream, before.id)).toEqual(withoutPassing(expected))
    // Made while somebody listened: from its first event on.
    expect(ofSession(stream, later)).toEqual(withoutPassing(await tellAlone(as, later)))
    expect(stream.live.length).toBe(1)
  })

  test('[API1] a second run of a session goes on where the first ended; nothing is held between', async () => {
    const as = newOwner()
    const { id, seq } = await create(as)
    const stream = await openAll(as)
    await send(as, id, 'one')
    await stream.until(isIdleIn(id))
    await expect.poll(() => statsOf(as, id)).toMatchObject({ sockets: 0 })
    await send(as, id, 'two')
    await stream.until(isIdleIn(id))
    await stream.close()
    const alone = await UiStream.open(as, `${of(id)}&after=${seq}`)
    await alone.until(isIdle)
    await alone.until(isIdle)
    await alone.close()
    expect(ofSession(stream, id)).toEqual(withoutPassing(alone.lasting))
  })

  test('[LOG3] one who resumes is given the rest of that session, and told to read the others', async () => {
    const as = newOwner()
    const { id, messages } = await recorded(as)
    const lasting = withoutPassing(messages)
    for (const index of [0, 3, lasting.length - 1]) {
      const stream = await UiStream.open(as, '', lasting[index]!.id)
      expect(await stream.next()).toMatchObject({ phase: 'resync', data: { reason: 'resumed' } })
      const rest = lasting.slice(index + 1)
      expect(await stream.take(rest.length)).toEqual(rest)
      await rename(as, id, `Next ${index}`)
      const [next] = await stream.take(1)
      expect(next).toMatchObject({ data: { changes: { title: `Next ${index}` } } })
      lasting.push(next!)
      await stream.close()
    }
  })

  test('[SAF1] one who names the session of another is given nothing of it', async () => {
    const ann = asOf('ann')
    const ben = asOf('ben')
    const { id } = await create(ann)
    const stream = await UiStream.open(ben, '', `${id}:1:1`)
    expect(await stream.next()).toMatchObject({ phase: 'resync', data: { reason: 'resumed' } })
    const own = await create(ben)
    await stream.until((message) => message.session_id === own.id)
    expect(ofSession(stream, id)).toEqual([])
    await stream.close()
  })

  test('[API1] a session that is deleted is told as a change', async () => {
    const as = newOwner()
    const { id } = await create(as)
    const stream = await openAll(as)
    await call(`/api/sessions/${id}`, { ...as, method: 'DELETE' })
    const message = await stream.until(({ session_id: sessionId }) => sessionId === id)
    expect(message).toMatchObject({ phase: 'sync', data: { reason: 'session_removed' } })
    await stream.close()
  })

  test('[LOG3] objects that die in the middle of a run cost no message', async () => {
    const as = newOwner()
    const { id, seq } = await create(as)
    const stream = await openAll(as)
    const reply = [{ text: 'Before the gate. ' }, { gate: 'ui-abort' }, { finish: 'stop' }]
    await send(as, id, script(reply))
    await model.reached('ui-abort')
    const seen = await stream.until(({ data }) => data?.['reason'] === 'run_started')
    expect(seen.session_id).toBe(id)
    await abortAllDurableObjects()
    // The hub died too, and the stream with it: the client comes back.
    await model.release('ui-abort')
    while ((await stream.next()) !== null) continue
    const resumed = await UiStream.open(as, '', stream.lasting.at(-1)!.id)
    await resumed.until(isIdleIn(id))
    await resumed.close()
    const told = [...ofSession(stream, id), ...ofSession(resumed, id)]
    expect(told).toEqual(withoutPassing(await tellAlone(as, id, seq)))
  })

  test('[LOG3] a session that dies while it is heard is heard on', async () => {
    const as = newOwner()
    const { id, seq } = await create(as)
    const stream = await openAll(as)
    const reply = [{ text: 'Before the gate. ' }, { gate: 'ui-one' }, { finish: 'stop' }]
    await send(as, id, script(reply))
    await model.reached('ui-one')
    await stream.until(({ data }) => data?.['reason'] === 'run_started')
    await expect.poll(async () => (await statsOf(as, id)).sockets).toBe(1)
    const dying = runInDurableObject(env.SESSION.getByName(id), (_, state) => state.abort('dead'))
    await expect(dying).rejects.toThrow('dead')
    await model.release('ui-one')
    await stream.until(isIdleIn(id))
    await stream.close()
    expect(ofSession(stream, id)).toEqual(withoutPassing(await tellAlone(as, id, seq)))
  })

  test('[API1] of a session that the hub did not begin with, the client reads what was before', async () => {
    const as = newOwner()
    const { id, ...real } = await create(as)
    const owner = as.vars.PARLEY_TOKENS.split(':')[0]!
    const hub = env.HUB.getByName(owner)
    const puts = Array.from({ length: HUB_SESSIONS }, (_, index) => {
      const at = real.updatedAt + 1_000_000 + index
      const newer = { ...real, id: `newer-0123456789-${index}`, createdAt: at, updatedAt: at }
      return hub.put(owner, { ...newer, empty: false, deletedAt: null, waits: [] })
    })
    await Promise.all(puts)
    const stream = await openAll(as)
    await rename(as, id, 'First')
    expect(await stream.next()).toMatchObject({
      phase: 'resync',
      session_id: id,
      data: { reason: 'unknown_before' },
    })
    await rename(as, id, 'Second')
    expect(await stream.next()).toMatchObject({ data: { changes: { title: 'Second' } } })
    await stream.close()
  })

  test('[LOG6] one that takes nothing is told to read everything again', async () => {
    const as = newOwner()
    const { id } = await create(as)
    const stream = await openAll(as)
    await overflow(as, id, 'ui-slow-owner')
    const last = await stream.until(isResync)
    expect(last).toMatchObject({ data: { reason: 'slow' } })
    expect(last).not.toHaveProperty('session_id')
    expect(await stream.next()).toBeNull()
  })

  test('[API1] only so many sessions are held; the others are asked when they change', async () => {
    const as = newOwner()
    const HELD = 20
    const stream = await openAll(as)
    const ask = script(
      [
        toolCall('q', 'ask_user', { questions: [{ id: 'where', text: 'Where to?' }] }),
        { finish: 'tool_calls' },
      ],
      [{ text: 'Thank you for that. ' }, { finish: 'stop' }],
    )
    const ids: string[] = []
    const questions = new Map<string, string>()
    for (let made = 0; made <= HELD; made++) {
      const { id } = await create(as)
      ids.push(id)
      await send(as, id, ask)
      const asked = await stream.until(
        ({ kind, session_id: of }) => kind === 'ask_user' && of === id,
      )
      questions.set(id, asked.data!['question_id'] as string)
    }
    const sockets = await Promise.all(ids.map(async (id) => (await statsOf(as, id)).sockets))
    expect(sockets).toEqual([...Array.from({ length: HELD }, () => 1), 0])
    for (const id of [ids.at(-1)!, ids[0]!]) {
      const answers = { where: 'there' }
      const json = { question_id: questions.get(id), answers }
      await call('/api/ask-user-response', { ...as, json })
      await stream.until(isIdleIn(id))
      expect(ofSession(stream, id)).toEqual(withoutPassing(await tellAlone(as, id)))
    }
    await stream.close()
    await expect.poll(async () => (await statsOf(as, ids[1]!)).sockets).toBe(0)
  })
})

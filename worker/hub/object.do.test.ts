import {
  abortAllDurableObjects,
  env,
  evictDurableObject,
  runInDurableObject,
} from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import type { InboxItem, SessionSummary } from '#protocol/http'
import { applyHubFrame, EMPTY_HUB, type HubFrame, type HubState } from '#protocol/hub'
import type { Projection } from '../core/session/session-deps.ts'
import { projectSession } from '../directory/sessions.ts'
import { call, closeOf, createSession, refusalOf, UPGRADE } from '../testing/call-app.ts'
import type { Hub } from './object.ts'

/** An owner for each test: what one does must not be in another's list. */
let owners = 0
function newOwner(): { owner: string; as: { vars: object; token: string } } {
  owners += 1
  const owner = `owner-${owners}`
  const vars = { PARLEY_TOKENS: `${owner}:token-${owners},other:other-token` }
  return { owner, as: { vars, token: `token-${owners}` } }
}

type As = ReturnType<typeof newOwner>['as']

const stubOf = (owner: string): DurableObjectStub<Hub> => env.HUB.get(env.HUB.idFromName(owner))

/** Everything a hub said on one connection, folded. */
class HubListener {
  state: HubState
  readonly frames: HubFrame[] = []
  private readonly socket: WebSocket
  private readonly waiting = new Set<() => void>()

  constructor(socket: WebSocket, from: HubState) {
    this.state = from
    this.socket = socket
    socket.accept()
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(data as string) as HubFrame
      this.frames.push(frame)
      this.state = applyHubFrame(this.state, frame)
      for (const check of this.waiting) check()
    })
  }

  static async open(as: As, from: HubState = EMPTY_HUB): Promise<HubListener> {
    const response = await call('/api/hub/socket', { ...as, headers: UPGRADE })
    if (response.webSocket === null) throw new Error(`no socket: ${response.status}`)
    const listener = new HubListener(response.webSocket, from)
    listener.say({ type: 'hello', version: 1, after: from === EMPTY_HUB ? null : from.seq })
    await listener.until(() => listener.frames.some(({ type }) => type === 'ready'))
    return listener
  }

  get types(): string[] {
    return this.frames.map(({ type }) => type)
  }

  say(frame: object): void {
    this.socket.send(JSON.stringify(frame))
  }

  close(): void {
    this.socket.close(1000)
  }

  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isSo()) return
        this.waiting.delete(check)
        resolve()
      }
      this.waiting.add(check)
      check()
    })
  }
}

const inboxOf = async (as: As): Promise<(InboxItem & { sessionTitle: string })[]> => {
  const response = await call('/api/inbox', as)
  return (await response.json<{ items: (InboxItem & { sessionTitle: string })[] }>()).items
}

const waitIn = (session: SessionSummary): InboxItem => ({
  id: `${session.id}.d7`,
  sessionId: session.id,
  callId: 'call-1',
  kind: 'command',
  title: 'rm -rf build',
  reason: 'deletes a folder',
  severity: 'high',
  at: 7,
})

const toProjection = (session: SessionSummary, changes: Partial<Projection> = {}): Projection => ({
  ...session,
  empty: false,
  deletedAt: null,
  waits: [],
  ...changes,
})

const storedBy = (owner: string): Promise<{ tables: unknown[]; keys: number }> =>
  runInDurableObject(stubOf(owner), async (_, state) => ({
    tables: state.storage.sql
      .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '_cf%'")
      .toArray(),
    keys: (await state.storage.list()).size,
  }))

describe('the hub of an owner', () => {
  test('[SES1] is told by sessions: made, renamed, run, deleted, restored', async () => {
    const { as } = newOwner()
    const listener = await HubListener.open(as)
    const { id } = await createSession(as)
    const known = (): SessionSummary | undefined => listener.state.sessions.get(id)
    await listener.until(() => known()?.title === 'Test')
    await call(`/api/sessions/${id}`, { ...as, method: 'PATCH', json: { title: 'Renamed' } })
    await listener.until(() => known()?.title === 'Renamed')
    await call('/api/chat', { ...as, json: { session_id: id, text: 'hello' } })
    await listener.until(() => known()?.status === 'running')
    await listener.until(() => known()?.status === 'idle')
    await call(`/api/sessions/${id}`, { ...as, method: 'DELETE' })
    await listener.until(() => known() === undefined)
    await call(`/api/sessions/${id}/restore`, { ...as, method: 'POST' })
    await listener.until(() => known()?.title === 'Renamed')
    const seqs = listener.frames.flatMap((frame) =>
      frame.type.endsWith('_changed') || frame.type === 'session_removed'
        ? [(frame as { seq: number }).seq]
        : [],
    )
    expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index))
  })

  test('[DEC6] [DEC4] a decision appears in the inbox and goes, for every device and the API', async () => {
    const { owner, as } = newOwner()
    const session = await createSession(as)
    const listener = await HubListener.open(as)
    const item = waitIn(session)
    const waiting = toProjection(session, { seq: 8, status: 'waiting', waits: [item] })
    await stubOf(owner).put(owner, waiting)
    await listener.until(() => listener.state.inbox.length === 1)
    expect(await inboxOf(as)).toEqual([{ ...item, sessionTitle: 'Test' }])
    expect(listener.state.inbox).toEqual(await inboxOf(as))
    expect(listener.state.sessions.get(session.id)?.status).toBe('waiting')
    await stubOf(owner).put(owner, toProjection(session, { seq: 9, status: 'running' }))
    await listener.until(() => listener.state.inbox.length === 0)
    expect(await inboxOf(as)).toEqual([])
    // A retry that was overtaken.
    await stubOf(owner).put(owner, waiting)
    expect(await inboxOf(as)).toEqual([])
  })

  test('[LOG3] evicted with open sockets it goes on, and a client that was away gets the gap', async () => {
    const { owner, as } = newOwner()
    const session = await createSession(as)
    const stayed = await HubListener.open(as)
    const left = await HubListener.open(as)
    left.close()
    await evictDurableObject(stubOf(owner))
    await stubOf(owner).put(owner, toProjection(session, { seq: 8, title: 'While asleep' }))
    await stayed.until(() => stayed.state.sessions.get(session.id)?.title === 'While asleep')
    const back = await HubListener.open(as, left.state)
    expect(back.types).toEqual(['session_changed', 'ready'])
    expect(back.state.sessions).toEqual(stayed.state.sessions)
    await abortAllDurableObjects()
    const again = await HubListener.open(as, back.state)
    expect(again.types).toEqual(['ready'])
  })

  test('[SAF1] another owner sees nothing of it', async () => {
    const { owner, as } = newOwner()
    const stranger = { ...as, token: 'other-token' }
    const listener = await HubListener.open(stranger)
    const session = await createSession(as)
    await stubOf(owner).put(owner, toProjection(session, { seq: 8, waits: [waitIn(session)] }))
    expect(await inboxOf(as)).toHaveLength(1)
    expect(await inboxOf(stranger)).toEqual([])
    listener.say({ type: 'hello', version: 1, after: null })
    await listener.until(() => listener.types.filter((type) => type === 'ready').length === 2)
    expect(listener.types).toEqual(['init', 'ready', 'init', 'ready'])
    expect(listener.state.sessions.size).toBe(0)
  })

  test('[SES1] one that is new learns from the directory what was there before it', async () => {
    const { owner, as } = newOwner()
    const old = toProjection({
      id: `before-the-hub-${crypto.randomUUID()}`,
      title: 'Older than the hub',
      status: 'idle',
      agent: 'assistant',
      model: 'strict',
      mode: 'agent',
      seq: 12,
      createdAt: 1,
      updatedAt: 2,
      pinned: true,
    })
    await projectSession(env.DB, owner, old)
    const listener = await HubListener.open(as)
    expect([...listener.state.sessions.values()]).toMatchObject([
      { id: old.id, title: 'Older than the hub', pinned: true, seq: 12 },
    ])
    const session = await createSession(as)
    await listener.until(() => listener.state.sessions.has(session.id))
  })

  test('[DEC6] one that has lost everything is made again, and asks the sessions that are active', async () => {
    const { owner, as } = newOwner()
    const session = await createSession(as)
    // The directory says that it waits; the session itself does not any more.
    await projectSession(env.DB, owner, toProjection(session, { status: 'waiting' }))
    await runInDurableObject(stubOf(owner), (_, state) => state.storage.deleteAll())
    await evictDurableObject(stubOf(owner))
    const listener = await HubListener.open(as)
    await listener.until(() => listener.state.sessions.get(session.id)?.status === 'idle')
  })
})

const ask = (id: string, question: string): object => ({
  toolCall: {
    id,
    name: 'ask_user',
    arguments: JSON.stringify({ questions: [{ id: 'q', text: question, free: true }] }),
  },
})

describe('sessions that wait', () => {
  test('[DEC6] [DEC5] a question is in the inbox until it is answered, and the run goes on', async () => {
    const { as } = newOwner()
    const { id } = await createSession(as)
    const listener = await HubListener.open(as)
    const replies = [
      [ask('first', 'Which colour?'), { finish: 'tool_calls' }],
      [{ text: 'Blue it is, then.' }, { finish: 'stop' }],
    ]
    const text = `#script ${JSON.stringify(replies)}`
    await call('/api/chat', { ...as, json: { session_id: id, text } })
    await listener.until(() => listener.state.inbox.length === 1)
    await listener.until(() => listener.state.sessions.get(id)?.status === 'waiting')
    const items = await inboxOf(as)
    expect(items).toMatchObject([
      { kind: 'question', title: 'Which colour?', sessionId: id, callId: 'first' },
    ])
    const answer = { question_id: items[0]!.id, answers: { q: 'blue' } }
    const answered = await call('/api/ask-user-response', { ...as, json: answer })
    expect(await answered.json()).toMatchObject({ ok: true, seq: expect.any(Number) })
    await listener.until(() => listener.state.sessions.get(id)?.status === 'idle')
    expect(listener.state.inbox).toEqual([])
    const again = await refusalOf(await call('/api/ask-user-response', { ...as, json: answer }))
    expect(again).toMatchObject({ status: 409, code: 'already_decided' })
  })

  test('[DEC6] of two questions the one that was answered goes, and the other stays', async () => {
    const { as } = newOwner()
    const { id } = await createSession(as)
    const listener = await HubListener.open(as)
    const replies = [
      [ask('first', 'Which colour?'), ask('second', 'Which size?'), { finish: 'tool_calls' }],
      [{ text: 'A small blue one, then.' }, { finish: 'stop' }],
    ]
    const text = `#script ${JSON.stringify(replies)}`
    await call('/api/chat', { ...as, json: { session_id: id, text } })
    await listener.until(() => listener.state.inbox.length === 2)
    const [first, second] = listener.state.inbox
    for (const question of [first!, second!]) {
      const json = { question_id: question.id, answers: { q: 'yes' } }
      await call('/api/ask-user-response', { ...as, json })
      await listener.until(() => listener.state.inbox.every((entry) => entry.id !== question.id))
    }
    await listener.until(() => listener.state.sessions.get(id)?.status === 'idle')
  })
})

describe('[SAF1] who may not come in', () => {
  test('is refused as at every socket, and leaves nothing behind', async () => {
    const { owner, as } = newOwner()
    const { vars } = as
    expect(await closeOf(await call('/api/hub/socket', { vars, headers: UPGRADE }))).toMatchObject({
      code: 4401,
    })
    expect((await call('/api/inbox', { vars })).status).toBe(401)
    const plain = await call('/api/hub/socket', as)
    expect(await refusalOf(plain)).toMatchObject({ status: 426, code: 'upgrade_required' })
    const foreign = { ...UPGRADE, origin: 'https://elsewhere.example' }
    expect((await call('/api/hub/socket', { ...as, headers: foreign })).status).toBe(403)
    expect(await storedBy(owner)).toEqual({ tables: [], keys: 0 })
  })

  test('[SAF2] an owner without a session has an empty inbox, and stores nothing', async () => {
    const { owner, as } = newOwner()
    expect(await inboxOf(as)).toEqual([])
    expect(await storedBy(owner)).toEqual({ tables: [], keys: 0 })
  })

  test('[SAF2] a request that is no upgrade, or names nobody, does not get past the object', async () => {
    const { owner } = newOwner()
    expect((await stubOf(owner).fetch('https://hub/socket')).status).toBe(404)
    const headers = { upgrade: 'websocket' }
    expect((await stubOf(owner).fetch('https://hub/socket', { headers })).status).toBe(404)
    expect(await storedBy(owner)).toEqual({ tables: [], keys: 0 })
  })
})

import { expect, test } from 'vitest'
import { SessionModel } from './session-model.ts'
import { MemorySession } from './testing/memory-session.ts'
import { createRandom, LogWriter } from './testing/random-log.ts'

function connect(model: SessionModel, session: MemorySession): void {
  for (const frame of session.resume(model.hello())) model.receive(frame)
}

const open = (session: MemorySession): SessionModel => {
  const model = new SessionModel('s')
  connect(model, session)
  return model
}

function startedRun(): { log: LogWriter; session: MemorySession } {
  const log = new LogWriter(createRandom(1))
  log.message()
  log.startRun()
  return { log, session: new MemorySession(log) }
}

const send = (id: string, text = id) => ({ type: 'send', id, text }) as const
const pendingIds = (model: SessionModel): string[] => model.view.pending.map(({ id }) => id)

test('[LOG5] a message is pending until the log shows it, and answered by its ack', () => {
  const { log, session } = startedRun()
  const model = open(session)
  model.submit(send('c1', 'hello'))
  expect(model.view.pending).toEqual([
    { id: 'c1', text: 'hello', delivery: 'queue', attachments: [] },
  ])
  const [changes, ack] = session.answer(send('c1', 'hello'))
  model.receive(changes!)
  expect(pendingIds(model)).toEqual([])
  expect(model.waiting()).toHaveLength(1)
  expect(model.receive(ack!)).toMatchObject({ id: 'c1', ok: true })
  expect(model.waiting()).toEqual([])
  expect(log.state.turns.at(-1)).toMatchObject({ kind: 'user', messageId: 'c1' })
})

test('[QUE1] a queued message is no longer pending: the queue shows it', () => {
  const { log, session } = startedRun()
  const model = open(session)
  model.submit(send('c1'))
  const item = { itemId: 'c1', text: 'c1', delivery: 'queue', from: 'owner' } as const
  const queued = log.add({ type: 'queue_updated', items: [item], held: false })
  model.receive({ type: 'events', events: [queued] })
  expect(pendingIds(model)).toEqual([])
  expect(model.view.state.queue.items).toEqual([item])
})

test('[LOG5] an ack that overtakes its event does not make the message flicker', () => {
  const { session } = startedRun()
  const model = open(session)
  model.submit(send('c1'))
  const [changes, ack] = session.answer(send('c1'))
  model.receive(ack!)
  expect(pendingIds(model)).toEqual(['c1'])
  expect(model.waiting()).toEqual([])
  model.receive(changes!)
  expect(pendingIds(model)).toEqual([])
})

test('[LOG5] a message whose ack was lost is known again from the replay, wherever it is', () => {
  const { session } = startedRun()
  for (const tail of [1, 200]) {
    const id = `lost-${tail}`
    const model = new SessionModel('s', tail)
    connect(model, session)
    model.submit(send(id))
    session.answer(send(id))
    model.receive({ type: 'resync', reason: 'too_far' })
    connect(model, session)
    const [command] = model.waiting()
    expect(command).toEqual(send(id))
    for (const frame of session.answer(command!)) model.receive(frame)
    expect(model.view.pending).toEqual([])
    expect(model.waiting()).toEqual([])
  }
  expect(session.effects).toBe(2)
})

test('[LOG5] commands wait in order, also those that are not messages', () => {
  const model = new SessionModel('s')
  model.submit(send('c1'))
  model.submit({ type: 'cancel', id: 'c2' })
  model.submit({ type: 'queue_remove', id: 'c3', itemId: 'x' })
  expect(model.waiting().map(({ id }) => id)).toEqual(['c1', 'c2', 'c3'])
  model.receive({ type: 'ack', id: 'c2', seq: null })
  expect(model.waiting().map(({ id }) => id)).toEqual(['c1', 'c3'])
  expect(pendingIds(model)).toEqual(['c1'])
})

test('[LOG5] a refused message keeps its text until it is discarded', () => {
  const model = new SessionModel('s')
  model.submit(send('c1', 'precious'))
  model.submit({ type: 'clear', id: 'c2' })
  const refusal = { code: 'queue_full', message: 'full' }
  expect(model.receive({ type: 'rejected', id: 'c1', ...refusal })).toEqual({
    id: 'c1',
    ok: false,
    refusal,
  })
  model.receive({ type: 'rejected', id: 'c2', ...refusal })
  expect(model.view.pending).toMatchObject([{ text: 'precious', rejected: refusal }])
  expect(model.waiting()).toEqual([])
  model.discard('c1')
  expect(model.view.pending).toEqual([])
})

test('[LOG5] a message that is on its way cannot be discarded', () => {
  const model = new SessionModel('s')
  model.submit(send('c1'))
  model.discard('c1')
  expect(pendingIds(model)).toEqual(['c1'])
})

test('[LOG5] a second try that is refused does not hide that the first had its effect', () => {
  const { session } = startedRun()
  const model = open(session)
  model.submit(send('c1'))
  model.receive(session.answer(send('c1'))[0]!)
  const refused = { type: 'rejected', id: 'c1', code: 'rate_limited', message: 'slow' } as const
  expect(model.receive(refused)).toEqual({ id: 'c1', ok: true, ack: {} })
  expect(model.view.pending).toEqual([])
})

test('[LOG5] a bad frame that belongs to no command settles none', () => {
  const model = new SessionModel('s')
  model.submit(send('c1'))
  expect(
    model.receive({ type: 'rejected', id: null, code: 'bad_request', message: 'x' }),
  ).toBeNull()
  expect(model.waiting()).toHaveLength(1)
})

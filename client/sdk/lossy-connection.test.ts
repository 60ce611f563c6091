import { expect, test } from 'vitest'
import type { ServerFrame } from '#protocol/frames'
import { fold } from '#protocol/reduce'
import { SessionModel } from './session-model.ts'
import { MemorySession } from './testing/memory-session.ts'
import { createRandom, LogWriter, type Random } from './testing/random-log.ts'

const SEEDS = 100

/** Both directions of a connection that may end after any frame; what was under way is lost. */
class LossyConnection {
  readonly #model: SessionModel
  readonly #session: MemorySession
  readonly #random: Random

  constructor(model: SessionModel, session: MemorySession, random: Random) {
    this.#model = model
    this.#session = session
    this.#random = random
  }

  /** Hello and everything unanswered. True: all of it got through, and so did every answer. */
  open(loss: number): boolean {
    const frames = [this.#model.hello(), ...this.#model.waiting()]
    return frames.every((frame) => !this.#random.chance(loss) && this.#exchange(frame, loss))
  }

  #exchange(frame: Parameters<MemorySession['answer']>[0], loss: number): boolean {
    return this.#session.answer(frame).every((answer) => {
      if (this.#random.chance(loss)) return false
      this.#model.receive(this.#cut(answer))
      return answer.type !== 'resync'
    })
  }

  /** A long replay comes in several frames; the last of them may be all that is lost. */
  #cut(frame: ServerFrame): ServerFrame {
    if (frame.type !== 'events' || !this.#random.chance(0.3)) return frame
    const half = frame.events.length >> 1
    this.#model.receive({ type: 'events', events: frame.events.slice(0, half) })
    return { type: 'events', events: frame.events.slice(half) }
  }
}

test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  '[LOG3] [LOG5] whatever is lost, client and log end equal and each command has one effect (seed %i)',
  (seed) => {
    const random = createRandom(seed)
    const session = new MemorySession(new LogWriter(random))
    const model = new SessionModel('s', 1000)
    const connection = new LossyConnection(model, session, random)
    const messages: string[] = []
    let commands = 0
    for (let round = 0; round < 30; round++) {
      for (let n = random.below(3); n > 0; n--) {
        const id = `command-${++commands}`
        if (random.chance(0.7)) {
          messages.push(id)
          model.submit({ type: 'send', id, text: id })
        } else model.submit({ type: 'configure', id, title: id })
      }
      connection.open(0.25)
    }
    expect(connection.open(0)).toBe(true)
    expect(model.waiting()).toEqual([])
    expect(model.view.pending).toEqual([])
    expect(session.effects).toBe(commands)
    expect(model.view.state).toEqual(fold(session.log.events))
    const sent = session.log.events.flatMap((event) =>
      event.type === 'user_message' && event.messageId.startsWith('command-')
        ? [event.messageId]
        : [],
    )
    expect(sent).toEqual(messages)
  },
)

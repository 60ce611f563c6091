// What the end of a connection means for the next one.

import type { CLOSE } from '#protocol/frames'
import type { Refusal } from './outbox.ts'
import type { AfterLoss } from './reconnecting-socket.ts'

type Close = {
  next: AfterLoss
  /** Why what waits will not be sent again: it would end the same way. null: it waits on. */
  refusal: Refusal | null
}

// The type says that the server means the same numbers; its file is kept out of the bundle.
const CLOSES: Record<(typeof CLOSE)[keyof typeof CLOSE], Close> = {
  4400: {
    next: 'stop',
    refusal: { code: 'bad_request', message: 'the server did not understand' },
  },
  // After a new login the same handle connects again and sends what waits.
  4401: { next: 'stop', refusal: null },
  4404: { next: 'stop', refusal: { code: 'not_found', message: 'no such session' } },
  // The hello that follows differs from the last one, or finds the server ready for it.
  4409: { next: 'at_once', refusal: null },
  4413: { next: 'stop', refusal: { code: 'too_large', message: 'too large to be sent' } },
  4429: { next: 'retry', refusal: null },
}

export const readClose = (code: number): Close =>
  (CLOSES as Partial<Record<number, Close>>)[code] ?? { next: 'retry', refusal: null }

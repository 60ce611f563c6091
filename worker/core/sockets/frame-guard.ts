// What every socket is held to, whatever it speaks: text frames, of a size, and not wrong again and
// again. A refusal is always said before a socket is closed for it.

import { CLOSE } from '#protocol/frames'
import type { Rejection } from '#protocol/http'
import { BAD_FRAMES, CLIENT_FRAME_BYTES } from '#protocol/limits'
import type { ClientSocket } from '../session/subscribers.ts'

export class FrameGuard {
  /** Bad frames in a row. Lost in hibernation, which only a quiet client reaches. */
  private readonly bad = new WeakMap<ClientSocket, number>()

  /** A frame that was understood. */
  accept(socket: ClientSocket): void {
    this.bad.delete(socket)
  }

  /** The close that this refusal leads to; null: the socket stays. */
  refuse(
    socket: ClientSocket,
    { code }: Rejection,
    isUnread: boolean,
  ): { code: number; reason: string } | null {
    const bad = (this.bad.get(socket) ?? 0) + 1
    this.bad.set(socket, bad)
    // Only a frame that was not even read: a message that is too long is refused by its id.
    if (isUnread && code === 'too_large') return { code: CLOSE.tooLarge, reason: 'frame too large' }
    return bad >= BAD_FRAMES ? { code: CLOSE.badFrames, reason: 'too many bad frames' } : null
  }
}

export const rejectBinary = ({ byteLength }: ArrayBuffer): Rejection =>
  byteLength > CLIENT_FRAME_BYTES
    ? { code: 'too_large', message: `at most ${CLIENT_FRAME_BYTES} bytes` }
    : { code: 'bad_request', message: 'text frames only' }

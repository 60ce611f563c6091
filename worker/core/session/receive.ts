// What arrives on a socket: parsed, refused or carried out, and always answered.

import { CLOSE } from '#protocol/frames'
import type { Rejection } from '#protocol/http'
import { BAD_FRAMES, CLIENT_FRAME_BYTES } from '#protocol/limits'
import { parseClientFrame } from '#protocol/parse'
import type { SessionCore } from './session.ts'
import type { ClientSocket } from './subscribers.ts'

export class Receiver {
  private readonly core: SessionCore
  /** Bad frames in a row. Lost in hibernation, which only a quiet client reaches. */
  private readonly bad = new WeakMap<ClientSocket, number>()

  constructor(core: SessionCore) {
    this.core = core
  }

  /** Returns true when the socket has become live: worth remembering across hibernation. */
  receive(socket: ClientSocket, owner: string, raw: string | ArrayBuffer): boolean {
    if (typeof raw !== 'string') return this.refuse(socket, null, rejectBinary(raw))
    const frame = parseClientFrame(raw)
    if (!frame.ok) return this.refuse(socket, frame.id, frame.rejection)
    if (frame.value.type === 'hello') {
      this.bad.delete(socket)
      return this.core.hello(socket, frame.value)
    }
    if (!this.core.subscribers.isLive(socket)) {
      const id = frame.value.type === 'seen' ? null : frame.value.id
      return this.refuse(socket, id, { code: 'hello_required', message: 'say hello first' })
    }
    this.bad.delete(socket)
    if (frame.value.type === 'seen') {
      this.core.subscribers.seen(socket, frame.value.seq)
      return false
    }
    const { id } = frame.value
    const result = this.core.command(owner, frame.value, 'user')
    if (result.ok) this.core.subscribers.reply(socket, { type: 'ack', id, ...result.value })
    else this.reject(socket, id, result.rejection)
    return false
  }

  private refuse(socket: ClientSocket, id: string | null, rejection: Rejection): false {
    const bad = (this.bad.get(socket) ?? 0) + 1
    this.bad.set(socket, bad)
    this.reject(socket, id, rejection)
    // Only a frame that was not even read: a message that is too long is refused by its id.
    if (id === null && rejection.code === 'too_large')
      this.close(socket, CLOSE.tooLarge, 'frame too large')
    else if (bad >= BAD_FRAMES) this.close(socket, CLOSE.badFrames, 'too many bad frames')
    return false
  }

  private reject(socket: ClientSocket, id: string | null, { code, message }: Rejection): void {
    this.core.subscribers.reply(socket, { type: 'rejected', id, code, message })
  }

  private close(socket: ClientSocket, code: number, reason: string): void {
    this.core.subscribers.remove(socket)
    socket.close(code, reason)
  }
}

const rejectBinary = ({ byteLength }: ArrayBuffer): Rejection =>
  byteLength > CLIENT_FRAME_BYTES
    ? { code: 'too_large', message: `at most ${CLIENT_FRAME_BYTES} bytes` }
    : { code: 'bad_request', message: 'text frames only' }

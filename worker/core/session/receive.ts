// What arrives on a socket: parsed, refused or carried out, and always answered.

import type { Rejection } from '#protocol/http'
import { parseClientFrame } from '#protocol/parse'
import { FrameGuard, rejectBinary } from '../sockets/frame-guard.ts'
import type { SessionCore } from './session.ts'
import type { ClientSocket } from './subscribers.ts'

type CommandResult = Awaited<ReturnType<SessionCore['command']>>

export class Receiver {
  private readonly core: SessionCore
  private readonly guard = new FrameGuard()

  constructor(core: SessionCore) {
    this.core = core
  }

  /** Returns true when the socket has become live: worth remembering across hibernation. */
  receive(socket: ClientSocket, owner: string, raw: string | ArrayBuffer): boolean {
    if (typeof raw !== 'string') return this.refuse(socket, null, rejectBinary(raw))
    const frame = parseClientFrame(raw)
    if (!frame.ok) return this.refuse(socket, frame.id, frame.rejection)
    if (frame.value.type === 'hello') {
      this.guard.accept(socket)
      return this.core.hello(socket, frame.value)
    }
    if (!this.core.subscribers.isLive(socket)) {
      const id = frame.value.type === 'seen' ? null : frame.value.id
      return this.refuse(socket, id, { code: 'hello_required', message: 'say hello first' })
    }
    this.guard.accept(socket)
    if (frame.value.type === 'seen') {
      this.core.subscribers.seen(socket, frame.value.seq)
      return false
    }
    const { id } = frame.value
    const result = this.core.command(owner, frame.value, 'user')
    if (result instanceof Promise) void this.answerLater(socket, id, result)
    else this.answer(socket, id, result)
    return false
  }

  private answer(socket: ClientSocket, id: string, result: CommandResult): void {
    if (result.ok) this.core.subscribers.reply(socket, { type: 'ack', id, ...result.value })
    else this.reject(socket, id, result.rejection)
  }

  /** Some commands have to be prepared. One that fails at that is asked again by the client. */
  private async answerLater(
    socket: ClientSocket,
    id: string,
    result: Promise<CommandResult>,
  ): Promise<void> {
    try {
      this.answer(socket, id, await result)
    } catch {
      this.reject(socket, id, { code: 'internal', message: 'something went wrong' })
    }
  }

  private refuse(socket: ClientSocket, id: string | null, rejection: Rejection): false {
    this.reject(socket, id, rejection)
    const close = this.guard.refuse(socket, rejection, id === null)
    if (close === null) return false
    this.core.subscribers.remove(socket)
    socket.close(close.code, close.reason)
    return false
  }

  private reject(socket: ClientSocket, id: string | null, { code, message }: Rejection): void {
    this.core.subscribers.reply(socket, { type: 'rejected', id, code, message })
  }
}

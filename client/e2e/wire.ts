// The network between a page and the server, in the hands of the test: it can be cut, come back,
// or swallow everything without closing anything, as a changed Wi-Fi does.

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

type Refusal = { count: number; resolve: () => void }

export class Wire {
  readonly #server: Server
  readonly #port: number
  readonly #sockets = new Set<Socket>()
  readonly #waiters: Refusal[] = []
  #isCut = false
  #refused = 0

  private constructor(port: number) {
    this.#port = port
    this.#server = createServer((socket) => this.#accept(socket))
  }

  static async to(port: number): Promise<Wire> {
    const wire = new Wire(port)
    wire.#server.listen(0, '127.0.0.1')
    await once(wire.#server, 'listening')
    return wire
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  cut(): void {
    this.#isCut = true
    this.#refused = 0
    this.#closeAll()
  }

  restore(): void {
    this.#isCut = false
  }

  /** What is connected stays so and carries nothing, either way; what connects from now on works. */
  swallow(): void {
    for (const socket of this.#sockets) {
      socket.unpipe()
      socket.pause()
    }
  }

  /** Only what the server says is lost: it goes on hearing the page. */
  swallowAnswers(): void {
    for (const socket of this.#sockets) {
      if (socket.remotePort === this.#port) socket.unpipe().pause()
    }
  }

  /** Resolves when `count` attempts to open a session's WebSocket have failed since the cut. */
  untilRefused(count: number): Promise<void> {
    if (this.#refused >= count) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push({ count, resolve }))
  }

  async close(): Promise<void> {
    this.#closeAll()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(client: Socket): void {
    if (this.#isCut) return this.#refuse(client)
    const server = connect(this.#port, '127.0.0.1')
    this.#hold(client, server)
    this.#hold(server, client)
    client.pipe(server)
    server.pipe(client)
  }

  #hold(socket: Socket, other: Socket): void {
    this.#sockets.add(socket)
    // A reset is an ordinary end here.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      other.destroy()
    })
  }

  #refuse(client: Socket): void {
    client.on('error', () => undefined)
    client.once('data', (head) => {
      client.destroy()
      // The hub has a socket of its own, which comes back at its own times.
      if (!/^GET \/api\/sessions\/\S+\/socket /.test(head.toString('latin1'))) return
      this.#refused++
      for (const { count, resolve } of this.#waiters) if (count <= this.#refused) resolve()
    })
  }

  #closeAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

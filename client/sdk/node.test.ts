import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import type { ClientFrame } from '#protocol/frames'
import { MemorySession } from './testing/memory-session.ts'
import { createRandom, LogWriter, SESSION_ID } from './testing/random-log.ts'

const NODE = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))
const SDK = new URL('./index.ts', import.meta.url).href

/** A program as a person would write it. It ends by itself, or the test does not. */
const PROGRAM = `
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    loaded.push(found.url)
    return found
  },
})
const { createSessionClient } = await import(process.env.SDK)
const { ORIGIN: origin, SESSION: sessionId } = process.env
const client = createSessionClient({ origin, sessionId, token: 'secret' })
client.connect()
const first = await client.send('hello from Node')
const second = await client.send('and after the connection broke')
client.close()
const turns = client.view.state.turns.filter((turn) => turn.kind === 'user')
console.log(JSON.stringify({ first, second, messages: turns.map((t) => t.messageId), loaded }))
`

type Upgrade = { path: string | undefined; authorization: string | undefined }

/** The least a WebSocket server can be: small text frames. */
class TinyServer {
  readonly upgrades: Upgrade[] = []
  readonly #http: Server
  readonly #session: MemorySession
  #broken = false

  constructor(session: MemorySession) {
    this.#session = session
    this.#http = createServer().on('upgrade', (request, socket) => this.#accept(request, socket))
  }

  async start(): Promise<string> {
    this.#http.listen(0, '127.0.0.1')
    await once(this.#http, 'listening')
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  stop(): void {
    this.#http.close()
  }

  #accept(request: IncomingMessage, socket: Duplex): void {
    const { 'sec-websocket-key': key, authorization } = request.headers
    this.upgrades.push({ path: request.url, authorization })
    const accept = createHash('sha1')
      .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    let pending = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk])
      for (let read = readFrame(pending); read !== null; read = readFrame(pending)) {
        pending = pending.subarray(read.size)
        if (read.opcode === 8) socket.end()
        if (read.opcode === 1) this.#answer(socket, JSON.parse(read.text) as ClientFrame)
      }
    })
  }

  #answer(socket: Duplex, frame: ClientFrame): void {
    const answers = this.#session.answer(frame)
    const isSecondMessage = frame.type === 'send' && this.#session.effects === 2
    if (isSecondMessage && !this.#broken) {
      // It has had its effect; the answer is lost with the connection.
      this.#broken = true
      socket.destroy()
      return
    }
    for (const answer of answers) socket.write(toFrame(JSON.stringify(answer)))
  }
}

function readFrame(bytes: Buffer): { opcode: number; text: string; size: number } | null {
  if (bytes.length < 8) return null
  const short = bytes[1]! & 0x7f
  const head = short === 126 ? 4 : 2
  const length = short === 126 ? bytes.readUInt16BE(2) : short
  const size = head + 4 + length
  if (bytes.length < size) return null
  const mask = bytes.subarray(head, head + 4)
  const data = bytes.subarray(head + 4, size).map((byte, i) => byte ^ mask[i % 4]!)
  return { opcode: bytes[0]! & 0x0f, text: Buffer.from(data).toString(), size }
}

function toFrame(message: string): Buffer {
  const data = Buffer.from(message)
  const head =
    data.length < 126
      ? Buffer.from([0x81, data.length])
      : Buffer.from([0x81, 126, data.length >> 8, data.length & 0xff])
  return Buffer.concat([head, data])
}

let server: TinyServer | undefined
let child: ChildProcess | undefined
afterEach(() => {
  server?.stop()
  child?.kill()
})

test('[UI4] Node imports the client as it is, talks to a server, and can end', async () => {
  const session = new MemorySession(new LogWriter(createRandom(1)))
  server = new TinyServer(session)
  const origin = await server.start()
  const program = spawn(NODE, ['--input-type=module', '--eval', PROGRAM], {
    env: { ...process.env, SDK, ORIGIN: origin, SESSION: SESSION_ID, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = program
  const [out, err] = await Promise.all([text(program.stdout), text(program.stderr)])
  expect(err).toBe('')
  const { first, second, messages, loaded } = JSON.parse(out) as {
    first: { seq: number }
    second: { seq: number }
    messages: string[]
    loaded: string[]
  }
  const own = session.log.state.turns.flatMap((t) => (t.kind === 'user' ? [t.messageId] : []))
  expect(messages).toEqual(own)
  expect(first.seq).toBe(2)
  expect(session.log.events[second.seq - 1]?.type).toBe('user_message')
  expect(session.effects).toBe(2)
  const path = `/api/sessions/${SESSION_ID}/socket`
  const upgrade = { path, authorization: 'Bearer secret' }
  expect(server.upgrades).toEqual([upgrade, upgrade])
  expect(loaded.filter((url) => url.includes('/node_modules/'))).toEqual([])
})

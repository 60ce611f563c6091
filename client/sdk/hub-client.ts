// An owner's hub over a socket that comes back by itself: the live list of sessions, and everything
// that waits for a person. It resumes where it was; it sends nothing but hello.

import type { SessionSummary } from '#protocol/http'
import {
  applyHubFrame,
  EMPTY_HUB,
  type HubFrame,
  type HubStart,
  type InboxEntry,
} from '#protocol/hub'
import { PROTOCOL_VERSION } from '#protocol/version'
import { readClose } from './close-codes.ts'
import { dialler, type DialOptions } from './dialler.ts'
import { Listeners } from './listeners.ts'
import { isLive, LiveConnection, UNCONNECTED } from './live-connection.ts'
import { parseServerFrame } from './parse-server-frame.ts'
import { toSocketUrl } from './session-client-options.ts'
import type { ConnectionState } from './types.ts'

export type HubClientOptions = DialOptions & {
  /** `https://…`, without a path. In a page: `location.origin`. */
  origin: string
  random?: () => number
}

export type HubView = {
  /** The newest, and every other that changed since. */
  sessions: ReadonlyMap<string, SessionSummary>
  /** Oldest first. */
  inbox: readonly InboxEntry[]
  /** Where the list is whole from; another object whenever it was told anew. null: not told yet. */
  start: HubStart | null
  connection: ConnectionState
}

export interface HubHandle {
  readonly view: HubView
  /** Called after every change, with the new view. */
  subscribe(listener: (view: HubView) => void): () => void
  connect(): void
  close(): void
  /** Reconnect now: the network is back, or the page is visible again. */
  wake(): void
}

class HubClient implements HubHandle {
  readonly #listeners = new Listeners<HubView>()
  readonly #connection: LiveConnection
  #state = EMPTY_HUB
  #view: HubView = { ...toFields(EMPTY_HUB), connection: UNCONNECTED }

  constructor(options: HubClientOptions) {
    this.#connection = new LiveConnection(
      {
        url: toSocketUrl(options.origin, '/api/hub/socket'),
        dial: dialler(options),
        random: options.random ?? Math.random,
      },
      {
        greet: () => this.#greet(),
        text: (text) => this.#read(text),
        lost: (code) => readClose(code).next,
        changed: (connection) => this.#publish(connection),
      },
    )
  }

  get view(): HubView {
    return this.#view
  }

  subscribe(listener: (view: HubView) => void): () => void {
    return this.#listeners.add(listener)
  }

  connect(): void {
    this.#connection.connect()
  }

  close(): void {
    this.#connection.close()
  }

  wake(): void {
    this.#connection.wake()
  }

  #greet(): void {
    const after = this.#state.start === null ? null : this.#state.seq
    this.#connection.send({ type: 'hello', version: PROTOCOL_VERSION, after })
  }

  #read(text: string): void {
    const frame = parseServerFrame(text) as HubFrame | null
    if (frame === null) return
    this.#state = applyHubFrame(this.#state, frame)
    if (frame.type === 'ready') this.#connection.confirm(frame.version)
    // A gap may be a thousand frames: it is one piece of news.
    else if (isLive(this.#view.connection)) this.#publish(this.#view.connection)
  }

  #publish(connection: ConnectionState): void {
    const next = { ...toFields(this.#state), connection }
    const isSame = (Object.keys(next) as (keyof HubView)[]).every(
      (field) => next[field] === this.#view[field],
    )
    if (isSame) return
    this.#view = next
    this.#listeners.tell(next)
  }
}

const toFields = ({ sessions, inbox, start }: typeof EMPTY_HUB): Omit<HubView, 'connection'> => ({
  sessions,
  inbox,
  start,
})

export const createHubClient = (options: HubClientOptions): HubHandle => new HubClient(options)

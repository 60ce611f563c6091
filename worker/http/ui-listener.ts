// A session's log to somebody who listens to `GET /api/events`.

import type { SSEStreamingApi } from 'hono/streaming'
import type { SessionEvent } from '#protocol/events'
import type { Fragment } from '#protocol/frames'
import { parseRunId } from '#protocol/ids'
import { type UiKind, type UiSseMessage } from '#protocol/ui-message'
import {
  applyUiEvent,
  startUiFold,
  toLiveMessages,
  type UiFold,
} from '../core/messages/ui-events.ts'
import type { Result } from '../session/rpc.ts'
import type { Follower, SessionSource } from './session-feed.ts'
import { toSse } from './sse.ts'

/** Events per question to the object while the run so far is read. */
const PAGE_EVENTS = 500

/** Left out where somebody listens to all sessions: they are read one at a time. */
const PASSING: ReadonlySet<UiKind> = new Set(['token', 'tool_progress'])

export type Place = { session: SessionSource; owner: string; sessionId: string; seq: number }

/** `last`: the messages of the event at that seq. Its state's seq is lower: the log ends before. */
export type FoldAt = { fold: UiFold; last: UiSseMessage[] }

/** What is known at a seq: the run that was active then, from its start. */
export async function loadFold({ session, owner, sessionId, seq }: Place): Promise<Result<FoldAt>> {
  let at: FoldAt = { fold: startUiFold(sessionId), last: [] }
  if (seq === 0) return { ok: true, value: at }
  const runs = await session.runs(owner, { before: seq + 1, limit: 1 })
  if (!runs.ok) return runs
  const startedSeq = parseRunId(runs.value.runs[0]?.run_id ?? '')?.startedSeq ?? 1
  let after = startedSeq - 1
  for (;;) {
    const query = { after, before: seq + 1, limit: PAGE_EVENTS, deltas: true }
    // oxlint-disable-next-line no-await-in-loop -- the next page starts where this one ended
    const page = await session.events(owner, query)
    if (!page.ok) return page
    for (const event of page.value.events) {
      const { fold, messages } = applyUiEvent(at.fold, event)
      at = { fold, last: messages }
      after = event.seq
    }
    if (!page.value.hasMore) return { ok: true, value: at }
  }
}

export class UiListener implements Follower {
  readonly session: SessionSource
  readonly owner: string
  readonly sink: SSEStreamingApi
  readonly wantsAll = true
  after: number
  private fold: UiFold
  private readonly hasPassing: boolean

  constructor(
    { session, owner, seq }: Place,
    fold: UiFold,
    options: { sink: SSEStreamingApi; hasPassing: boolean },
  ) {
    this.session = session
    this.owner = owner
    this.after = seq
    this.fold = fold
    this.sink = options.sink
    this.hasPassing = options.hasPassing
  }

  async sendEvents(events: readonly SessionEvent[]): Promise<void> {
    const messages = events.flatMap((event) => {
      const told = applyUiEvent(this.fold, event)
      this.fold = told.fold
      return told.messages
    })
    await this.send(messages)
  }

  async sendFragments(fragments: readonly Fragment[]): Promise<void> {
    if (!this.hasPassing) return
    const at = Date.now()
    await sendLive(
      this.sink,
      fragments.flatMap((fragment) => toLiveMessages(this.fold, fragment, at)),
    )
  }

  async send(messages: readonly UiSseMessage[]): Promise<void> {
    const shown = messages.filter(({ kind }) => this.hasPassing || !PASSING.has(kind))
    if (shown.length === 0) return
    await this.sink.write(shown.map((message) => toSse(message, `id: ${message.id}\n`)).join(''))
  }
}

/** Without an id of the stream's: nobody resumes from what is not in a log. */
export async function sendLive(
  sink: SSEStreamingApi,
  messages: readonly UiSseMessage[],
): Promise<void> {
  if (messages.length === 0) return
  await sink.write(messages.map((message) => toSse(message, '')).join(''))
}

// What can be read of a session, by whom it belongs to. Nothing here changes anything.

import type { Bound } from '#protocol/agent-events'
import type { Rejection, SessionSummary } from '#protocol/http'
import type { AgentOverride } from '#protocol/mission-events'
import type { SessionState } from '#protocol/state'
import { isEmptySession, toSummary } from '#protocol/summary'
import { readMessages, type MessagesPage, type MessagesQuery } from '../messages/read-messages.ts'
import {
  listMissions,
  viewMission,
  type MissionRecord,
  type StandingView,
} from './mission-views.ts'
import { asRun } from './inherited.ts'
import { readPage, type EventsPage, type EventsQuery } from './events-page.ts'
import type { Log } from './log.ts'
import { listContacts, type RunContact } from './run-contacts.ts'
import { boundNow, setUpRun, type RunSetup } from './run-setup.ts'
import {
  describeRun,
  listRuns,
  viewRun,
  type RunContext,
  type RunsPage,
  type RunsQuery,
} from './run-views.ts'
import type { SessionDeps } from './session-deps.ts'

export type Outcome<T> = { ok: true; value: T } | { ok: false; rejection: Rejection }

export const NOT_FOUND: Outcome<never> = {
  ok: false,
  rejection: { code: 'not_found', message: 'no such session' },
}

export const refuse = (code: Rejection['code'], message: string): Outcome<never> => ({
  ok: false,
  rejection: { code, message },
})

export type ViewDeps = {
  session: SessionDeps
  log: Log
  state: () => SessionState
  isOwnedBy: (owner: string) => boolean
}

export class SessionViews {
  private readonly deps: ViewDeps

  constructor(deps: ViewDeps) {
    this.deps = deps
  }

  summary(owner: string): Outcome<SessionSummary & { empty: boolean }> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    return {
      ok: true,
      value: { ...toSummary(this.deps.state()), empty: isEmptySession(this.deps.state()) },
    }
  }

  workspaceId(owner: string): Outcome<string> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const { id, origin } = this.deps.state().session
    return { ok: true, value: origin?.parent?.workspaceId ?? id }
  }

  events(owner: string, query: EventsQuery): Outcome<EventsPage> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    return { ok: true, value: readPage(this.deps.log, this.deps.state(), query) }
  }

  messages(owner: string, query: MessagesQuery): Outcome<MessagesPage> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    return { ok: true, value: readMessages(this.deps.log, this.deps.state(), query) }
  }

  runs(owner: string, query: RunsQuery): Outcome<RunsPage> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    return { ok: true, value: listRuns(this.deps.log, this.deps.state().session.id, query) }
  }

  async runContext(
    owner: string,
    runId: string,
    view: 'summary' | 'raw',
  ): Promise<Outcome<RunContext>> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const state = this.deps.state()
    const found = viewRun(this.deps.log, state.session.id, runId)
    if (found === null) return refuse('no_such_run', `no run ${runId} here`)
    const { agent_id: agent, actual_model: model } = found.run
    const run = { agent, ...(found.mode !== undefined && { mode: found.mode }) }
    const subject = { ...state, session: asRun(state.session, run) }
    const setUp = (): Promise<RunSetup> =>
      setUpRun(this.deps.session, owner, subject, model, AbortSignal.timeout(5_000))
    return { ok: true, value: await describeRun(found, view === 'raw' ? setUp : null) }
  }

  /** Which tools a run here would have, for the sessions of this context. null: it is not there. */
  async bound(owner: string): Promise<Bound | null> {
    if (!this.deps.isOwnedBy(owner)) return null
    return boundNow(this.deps.session, owner, this.deps.state())
  }

  /** Whom a run turned to. */
  contactsOf(owner: string, runId: string): Outcome<RunContact[]> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const contacts = listContacts(this.deps.log, this.deps.state().session.id, runId)
    return contacts === null
      ? refuse('no_such_run', `no run ${runId} here`)
      : { ok: true, value: contacts }
  }

  mission(owner: string): Outcome<StandingView> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    return { ok: true, value: viewMission(this.deps.state()) }
  }

  missions(owner: string): Outcome<MissionRecord[]> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    return { ok: true, value: listMissions(this.deps.log) }
  }

  override(owner: string, agentId: string): Outcome<AgentOverride | null> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const own = this.deps.state().overrides.find((one) => one.agentId === agentId)
    return { ok: true, value: own?.override ?? null }
  }

  runOfExchange(owner: string, exchangeId: string): string | null {
    return this.deps.isOwnedBy(owner) ? this.deps.log.runOfExchange(exchangeId) : null
  }
}

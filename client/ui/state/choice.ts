// What the next message goes to: the settings of the open session as its log has them, or what was
// picked for a chat that has no session yet.

import { computed, signal } from '@preact/signals'
import type { AgentSummary, SessionSummary } from '#protocol/http'
import { ApiError } from '../../sdk/errors.ts'
import { api } from './client.ts'
import { identity } from './identity.ts'
import { openSessionId } from './route.ts'
import { config, connection, isLoaded } from './session.ts'
import { putSessions } from './sessions.ts'
import { readStored, writeStored } from './storage.ts'

export type Choice = Pick<SessionSummary, 'agent' | 'model' | 'mode'>

const DEFAULT_AGENT = 'assistant'

/** One line each, as it is kept in this browser: another new chat is likely to be wanted alike. */
const picked = signal(readStored('picked') ?? '')

/** Null while it is not known. */
export const choice = computed<Choice | null>(() => {
  if (openSessionId.value !== null) {
    // One that is gone would never answer a change.
    return isLoaded.value && connection.value.status !== 'gone' ? config.value : null
  }
  if (identity.value.status !== 'in') return null
  const { models, defaultModel } = identity.value.me
  const [agent, model = '', mode] = picked.value.split('\n')
  return {
    agent: agent || DEFAULT_AGENT,
    // The list may have changed since.
    model: models.includes(model) ? model : defaultModel,
    mode: mode === 'ask' || mode === 'plan' ? mode : 'agent',
  }
})

/** For a chat without a session. */
export function pick(changes: Partial<Choice>): void {
  const { agent, model, mode } = { ...choice.peek()!, ...changes }
  picked.value = [agent, model, mode].join('\n')
  writeStored('picked', picked.peek())
}

/** Sessions that have not answered a change yet, once for each change. */
export const unanswered = signal<readonly string[]>([])

/** Filled when somebody looks, or when the dot of an agent needs its colour. */
export const agents = signal<readonly AgentSummary[]>([])

export const colourOf = (name: string): string =>
  agents.value.find((agent) => agent.name === name)?.colour ??
  (name === DEFAULT_AGENT ? 'blue' : '')

export async function startSession(): Promise<SessionSummary> {
  const { agent, model, mode } = choice.peek()!
  try {
    let session = await api.createSession(picked.peek() === '' ? {} : { agent, model })
    // An empty session that is used again has settings of its own.
    if (session.agent !== agent || session.model !== model || session.mode !== mode) {
      session = await api.patchSession(session.id, { agent, model, mode })
    }
    putSessions(session)
    return session
  } catch (error) {
    // It was deleted since: the next try is with one that there is.
    if (error instanceof ApiError && error.code === 'unknown_agent') pick({ agent: DEFAULT_AGENT })
    throw error
  }
}

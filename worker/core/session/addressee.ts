// Which agent answers a message: the session's own, or another that it is addressed to (AGT1). Pure.

import type { Addressee, QueueItem } from '#protocol/events'
import { addresseeOf } from '#protocol/reduce-agents'
import type { RunState, SessionState } from '#protocol/state'
import type { Agent } from '../agents/agent.ts'

/** Who had to be looked up before a command could be taken. null: there is no such agent. */
export type AgentAssist = { type: 'agent'; agent: Agent | null }

/** As it is at sending, like a session takes it from its agent; what it is told is read at the start. */
export function toAddressee(
  name: string,
  agent: Agent,
  { overrides, session }: SessionState,
  models: readonly string[],
): Addressee {
  const own = overrides.find(({ agentId }) => agentId === name)?.override
  const model = (own?.models ?? agent.models).find((id) => models.includes(id)) ?? session.model
  return { agent: name, model, mode: own?.mode ?? agent.mode }
}

/** A steer that names nobody is for whoever answers now, and stays so if it comes too late. */
export const steeredTo = ({ delivery }: Pick<QueueItem, 'delivery'>, run: RunState) =>
  delivery === 'steer' ? addresseeOf(run) : undefined

/** May enter this run: otherwise the wrong agent would answer it. */
export const isFor = ({ addressee }: QueueItem, run: RunState): boolean =>
  addressee === undefined
    ? addresseeOf(run) === undefined
    : run.status === 'running' && addressee.agent === run.agent

export const isForSame = (a: QueueItem, b: QueueItem): boolean =>
  a.addressee?.agent === b.addressee?.agent

/** Who a run is. `mode` marks one that the session's own agent is not. */
export function toSpeaker(
  { session }: SessionState,
  addressee: Addressee | undefined,
  models: readonly string[],
): Partial<Addressee> & Omit<Addressee, 'mode'> {
  const own = { model: session.model, agent: session.agent }
  if (addressee === undefined || addressee.agent === session.agent) return own
  const { agent, mode } = addressee
  return { model: models.includes(addressee.model) ? addressee.model : own.model, agent, mode }
}

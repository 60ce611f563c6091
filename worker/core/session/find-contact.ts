// Whom a run turns to: the session of an agent in this context, a session by its id, or a child that
// is made for a task. Ids follow from who asks for what, so that finding and making are one thing.

import type { Bound, Origin } from '#protocol/agent-events'
import { isSessionId } from '#protocol/ids'
import type { RunState, SessionState } from '#protocol/state'
import type { Agent } from '../agents/agent.ts'
import type { ContactRequest } from '../tools/tool.ts'
import type { Contact } from './contacts.ts'
import type { RunSelf } from './active-run.ts'
import { asRun, stricterMode, toBound, toLimits, UNBOUND } from './inherited.ts'
import type { NewPeer } from './letters.ts'
import type { SessionDeps } from './session-deps.ts'

type FindDeps = Pick<SessionDeps, 'agents' | 'models' | 'peers'> & {
  owner: string
  session: SessionState['session']
  /** The run as it was set up. */
  own: RunSelf
  run: Extract<RunState, { status: 'running' }>
  callId: string
}

/** `problem`: what the agent is told instead. */
export type Found = { contact: Contact } | { problem: string }

export async function findContact(
  deps: FindDeps,
  request: Exclude<ContactRequest, { type: 'list' }>,
): Promise<Found> {
  if (request.type === 'spawn') return findChild(deps, request)
  const { to } = request
  const agent = await findAgent(deps, to)
  if (agent === null) return isSessionId(to) ? findSession(deps, request) : unknownAgent(deps, to)
  const context = await findContext(deps)
  // The agent that the person talks to in this context is that one, not another of its name.
  const isRoot = to === context.agent
  const toSessionId = isRoot
    ? context.sessionId
    : await toPeerId('agent', context.sessionId, agent.name)
  const create = isRoot ? null : toPeer(deps, agent)
  const { text, wait, seconds } = request
  const message = {
    type: 'message',
    toSessionId,
    toAgent: agent.name,
    text,
    wait,
    seconds,
  } as const
  return { contact: { ...message, create, ...heldTo(deps) } }
}

/** The session that a person began, and the agent it has now: a person can give it another one. */
async function findContext({ session, peers, owner }: FindDeps): Promise<Origin['context']> {
  const { origin, id, agent } = session
  if (origin === undefined) return { sessionId: id, agent }
  const { sessionId, agent: first } = origin.context
  const top = await peers.summary(sessionId, owner)
  return { sessionId, agent: top?.agent ?? first }
}

/** In a session that agents made, who asks is the bound of what is done for it. */
function heldTo({ session, run, own }: FindDeps): { limits?: Bound } {
  const limits = toBound(asRun(session, run), own.agent, own.bound)
  return limits.tools.length === 0 && limits.mode === UNBOUND.mode ? {} : { limits }
}

async function findSession(
  deps: FindDeps,
  { to, text, wait, seconds }: Extract<ContactRequest, { type: 'message' }>,
): Promise<Found> {
  const { peers, owner, session } = deps
  const request = { type: 'message', toSessionId: to, text, wait, seconds, create: null } as const
  const message = { ...request, ...heldTo(deps) }
  if (to === session.id) return { contact: { ...message, toAgent: session.agent } }
  const summary = await peers.summary(to, owner)
  if (summary === null) return { problem: `There is no session ${to}.` }
  return { contact: { ...message, toAgent: summary.agent } }
}

async function findChild(
  deps: FindDeps,
  { agent: name, task }: Extract<ContactRequest, { type: 'spawn' }>,
): Promise<Found> {
  const { run, callId, session } = deps
  const agent = name === null ? deps.own.agent : await findAgent(deps, name)
  if (agent === null) return unknownAgent(deps, name ?? '')
  const childSessionId = await toPeerId('child', run.runId, callId)
  const peer = toPeer(deps, agent)
  const parent = {
    sessionId: session.id,
    runId: run.runId,
    workspaceId: session.origin?.parent?.workspaceId ?? session.id,
    topRunId: session.origin?.parent?.topRunId ?? run.runId,
    depth: (session.origin?.parent?.depth ?? 0) + 1,
  }
  const create = { ...peer, origin: { ...peer.origin, parent } }
  return { contact: { type: 'spawn', childSessionId, task, create } }
}

const findAgent = async ({ agents, owner }: FindDeps, name: string): Promise<Agent | null> =>
  agents.find(name) ?? agents.load(owner, name)

async function unknownAgent({ agents, owner }: FindDeps, name: string): Promise<Found> {
  const names = (await agents.list(owner)).map((agent) => agent.name)
  return { problem: `There is no agent ${name}. There are: ${names.join(', ')}.` }
}

/** It never has more rights than whoever makes it. */
function toPeer(deps: FindDeps, agent: Agent): NewPeer {
  const { session, models, run } = deps
  const limits = toLimits(asRun(session, run), deps.own.agent, deps.own.bound)
  const model = agent.models.find((id) => models.ids.includes(id)) ?? session.model
  return {
    agent: agent.name,
    model,
    mode: stricterMode(agent.mode, limits.mode),
    recovery: session.recovery,
    origin: {
      context: session.origin?.context ?? { sessionId: session.id, agent: session.agent },
      limits,
      rules: [...session.rules],
    },
  }
}

const ID_CHARS = 22

/** As hard to guess as what it is made of, which begins with a session's id. */
async function toPeerId(kind: 'agent' | 'child', of: string, name: string): Promise<string> {
  const bytes = new TextEncoder().encode([kind, of, name].join('\n'))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const text = btoa(String.fromCharCode(...hash))
  return text.replaceAll('+', '-').replaceAll('/', '_').slice(0, ID_CHARS)
}

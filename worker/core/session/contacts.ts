// Starting exchanges and children, as events and letters. Pure, and part of `decide`.

import type { Asker, Bound } from '#protocol/agent-events'
import type { ToolErrorCode } from '#protocol/events'
import { toExchangeId, toRunId } from '#protocol/ids'
import {
  CONTACTS_PER_ROOT,
  CONTACTS_PER_RUN,
  HOPS,
  MESSAGE_PARTS,
  OPEN_EXCHANGES,
  SPAWN_DEPTH,
  SPAWN_PARTS,
} from '#protocol/limits'
import { findTool } from '#protocol/reduce-decisions'
import type { RunState, SessionState } from '#protocol/state'
import type { ToolPart } from '#protocol/turns'
import { settleCall } from './answers.ts'
import type { Draft } from './draft.ts'
import type { NewPeer } from './letters.ts'

/** Whom a run turns to: found, and with what it takes to make them, but not asked yet. */
export type Contact =
  | {
      type: 'message'
      toSessionId: string
      toAgent: string
      text: string
      wait: boolean
      seconds: number
      create: NewPeer | null
      limits?: Bound
    }
  | { type: 'spawn'; childSessionId: string; task: string; create: NewPeer }

type Running = Extract<RunState, { status: 'running' }>

/** A child's log begins with its creation and its task: its first run starts third. */
const FIRST_RUN_SEQ = 3

export function startContact(draft: Draft, callId: string, contact: Contact): void {
  const { run } = draft.state
  const tool = findTool(draft.state, callId)
  if (run.status !== 'running' || tool === undefined) return
  const problem = findProblem(draft.state, run, contact)
  if (problem !== null) {
    const [code, message] = problem
    return settleCall(draft, tool, { ok: false, error: { code, message } })
  }
  if (contact.type === 'spawn') spawn(draft, run, callId, contact)
  else sendMessage(draft, run, tool, contact)
}

/** Exchanges and children that a run, and all that follows from it, may still start. */
export const budgetLeft = (run: Running): number =>
  Math.max(0, (run.asker?.budget ?? CONTACTS_PER_ROOT) - (run.spent ?? 0))

const hopsOf = (run: Running): number => run.asker?.hops ?? 0

/** What the agent is told; null: it may. */
function findProblem(
  { session, exchanges, queue }: SessionState,
  run: Running,
  contact: Contact,
): [ToolErrorCode, string] | null {
  if (contact.type === 'message') {
    const { toSessionId, toAgent, wait } = contact
    if (toSessionId === session.id) {
      return ['tool_invalid_input', 'This is you: a message to yourself goes nowhere.']
    }
    // Those whose messages wait here wait for this run, too, and with them all who wait for them.
    const askers = [run.asker, ...queue.items.map(({ exchange }) => exchange?.asker)]
    if (wait && askers.some((asker) => asker?.path.includes(toSessionId))) {
      const way = `${toAgent} waits for you already, so neither of you could ever go on.`
      return ['tool_error', `${way} Put what you have to say to it into your answer.`]
    }
    if (exchanges.length >= OPEN_EXCHANGES) {
      const message = `${OPEN_EXCHANGES} messages have no answer yet. Wait for those first.`
      return ['rate_limit_tools', message]
    }
  }
  if (contact.type === 'spawn' && (session.origin?.parent?.depth ?? 0) >= SPAWN_DEPTH) {
    const message = `Children go ${SPAWN_DEPTH} levels deep and this is the last. Do it yourself.`
    return ['rate_limit_tools', message]
  }
  if (hopsOf(run) >= HOPS) {
    const message = `This has passed through ${HOPS} agents already. Answer with what you have.`
    return ['rate_limit_tools', message]
  }
  if ((run.contacts ?? 0) >= CONTACTS_PER_RUN) {
    const message = `This run has turned to others ${CONTACTS_PER_RUN} times. Go on without them.`
    return ['rate_limit_tools', message]
  }
  if (budgetLeft(run) < 1) {
    const message =
      'What followed from the first message has used up its budget of exchanges. Answer with what you have.'
    return ['rate_limit_tools', message]
  }
  return null
}

function spawn(
  draft: Draft,
  run: Running,
  callId: string,
  { childSessionId, task, create }: Extract<Contact, { type: 'spawn' }>,
): void {
  const { runId } = run
  const budget = share(draft.state, run, SPAWN_PARTS)
  const childRunId = toRunId(childSessionId, FIRST_RUN_SEQ)
  const { agent } = create
  draft.add({
    type: 'subagent_spawned',
    runId,
    callId,
    childSessionId,
    childRunId,
    agent,
    task,
    budget,
  })
  const asker = toAsker(draft.state, run, budget, true)
  draft.post(childSessionId, { type: 'spawn', runId, childRunId, task, asker, create })
}

function sendMessage(
  draft: Draft,
  run: Running,
  tool: ToolPart,
  contact: Extract<Contact, { type: 'message' }>,
): void {
  const { toSessionId, toAgent, text, wait, seconds, create, limits } = contact
  const { runId } = run
  const exchangeId = toExchangeId(draft.state.session.id, draft.nextSeq)
  const budget = share(draft.state, run, MESSAGE_PARTS)
  draft.add({
    type: 'exchange_started',
    runId,
    exchangeId,
    callId: tool.callId,
    toSessionId,
    toAgent,
    text,
    wait,
    hops: hopsOf(run) + 1,
    budget,
    expiresAt: draft.now + seconds * 1000,
  })
  const own = toAsker(draft.state, run, budget, wait)
  const asker = limits === undefined ? own : { ...own, limits }
  draft.post(toSessionId, { type: 'message', exchangeId, runId, text, asker, create })
  if (wait) return
  const isChild = draft.state.session.origin?.parent !== undefined
  const result =
    `Sent to ${toAgent} as exchange ${exchangeId}. The answer will reach you as a message` +
    (isChild ? ', if it comes before your task is done.' : '; do not wait for it in this run.')
  settleCall(draft, tool, { ok: true, result })
}

/** Less with each that is still out: a run that asks many at once has something for the last, too. */
function share({ exchanges, children }: SessionState, run: Running, parts: number): number {
  const out = [...exchanges, ...children].filter(({ runId }) => runId === run.runId).length
  return Math.round((budgetLeft(run) - 1) / (parts + out))
}

const toAsker = (
  { session }: SessionState,
  run: Running,
  budget: number,
  waits: boolean,
): Asker => ({
  sessionId: session.id,
  agent: run.agent,
  hops: hopsOf(run) + 1,
  budget,
  // Whoever does not wait can be written to again.
  path: waits ? [...(run.asker?.path ?? []), session.id] : [],
  ...(run.parentRunId !== undefined && {
    worksFor: [...(run.asker?.worksFor ?? []), run.parentRunId],
  }),
})

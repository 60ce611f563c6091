// The open session as narrow signals: a token changes `open` and nothing else, so it renders the
// open turn and nothing else.

import { batch, computed, effect, signal } from '@preact/signals'
import type { AgentStatus } from '#protocol/live'
import type {
  ContextState,
  EndedRun,
  QueueState,
  RunState,
  SessionConfig,
  SessionState,
} from '#protocol/state'
import type { Response, Turn } from '#protocol/turns'
import { EMPTY_STATE } from '#protocol/state'
import type { ConnectionState, PendingSend, SessionHandle, SessionView } from '../../sdk/types.ts'
import { leaveHandle, openHandle } from './handles.ts'
import { isSignedOut, noteSignedOut } from './identity.ts'
import { openSessionId } from './route.ts'

const CLOSE_UNAUTHORIZED = 4401

export const handle = signal<SessionHandle | null>(null)

/** All of it, for parts that are loaded later and pick out what they need. */
export const folded = signal<SessionState>(EMPTY_STATE)
export const turns = signal<readonly Turn[]>([])
export const open = signal<Response | null>(null)
export const run = signal<RunState>({ status: 'idle' })
export const lastRun = signal<EndedRun | null>(null)
export const queue = signal<QueueState>(EMPTY_STATE.queue)
export const config = signal<SessionConfig>(EMPTY_STATE.session)
export const context = signal<ContextState | null>(null)
export const usage = signal<SessionState['usage']>(EMPTY_STATE.usage)
export const agent = signal<AgentStatus>('idle')
export const pending = signal<readonly PendingSend[]>([])
export const connection = signal<ConnectionState>({ status: 'connecting' })
export const hasOlder = signal(false)
export const isLoaded = signal(false)
export const seq = signal(0)
export const changes = signal(EMPTY_STATE.changes)
export const mission = signal(EMPTY_STATE.mission)

export const openId = computed(() => open.value?.responseId ?? null)
export const isRunning = computed(() => run.value.status === 'running')
/** Something of this session, or of a child of it, waits for a person. */
export const hasWaits = computed(() => {
  const { decisions, questions, children } = folded.value
  const waits = decisions.length + questions.length
  return waits > 0 || children.some((child) => child.waits.length > 0)
})
export const waitingSends = computed(() => pending.value.filter((send) => !send.rejected))
export const refusedSends = computed(() => pending.value.filter((send) => send.rejected))
export const isEmpty = computed(
  () => turns.value.length === 0 && openId.value === null && pending.value.length === 0,
)

/** Between pressing Stop and the run's end. */
export const isStopping = signal(false)

function applyState(state: SessionState): void {
  folded.value = state
  turns.value = state.turns
  run.value = state.run
  lastRun.value = state.lastRun
  queue.value = state.queue
  config.value = state.session
  context.value = state.context
  usage.value = state.usage
  seq.value = state.seq
  changes.value = state.changes
  mission.value = state.mission
  if (state.run.status === 'idle') isStopping.value = false
}

function applyView(view: SessionView): void {
  batch(() => {
    applyState(view.state)
    open.value = view.open
    agent.value = view.status
    pending.value = view.pending
    connection.value = view.connection
    hasOlder.value = view.hasOlder
    isLoaded.value = view.loaded
  })
}

function applyNothing(): void {
  batch(() => {
    applyState(EMPTY_STATE)
    open.value = null
    agent.value = 'idle'
    pending.value = []
    connection.value = { status: 'connecting' }
    hasOlder.value = false
    isLoaded.value = false
  })
}

/** Follows the address; leaving a session closes its socket and never stops its run. */
effect(() => {
  const sessionId = openSessionId.value
  // Not "until signed in": the socket is opened while the page still asks who this is.
  if (sessionId === null || isSignedOut.value) {
    applyNothing()
    return
  }
  const next = openHandle(sessionId)
  handle.value = next
  applyView(next.view)
  const unsubscribe = next.subscribe(applyView)
  return () => {
    unsubscribe()
    handle.value = null
    leaveHandle(next)
  }
})

effect(() => {
  const state = connection.value
  if (state.status === 'gone' && state.code === CLOSE_UNAUTHORIZED) noteSignedOut()
})

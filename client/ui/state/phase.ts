// What the agent is doing, in words: for the end of the transcript and for screen readers.

import { computed } from '@preact/signals'
import type { AgentStatus } from '#protocol/live'
import { toolActivity } from '../../sdk/tool-notifications.ts'
import {
  agent,
  connection,
  folded,
  hasWaits,
  isRunning,
  isStopping,
  open,
  run,
  waitingSends,
} from './session.ts'

const WORDS: Record<AgentStatus, string> = {
  idle: 'Sending…',
  model_loading: 'Loading model…',
  thinking: 'Thinking…',
  calling_tool: 'Preparing tool…',
  working: 'Working…',
}

/** From send until the run's end. Offline, nothing is being done: the message says so itself. */
export const isBusy = computed(
  () => isRunning.value || (waitingSends.value.length > 0 && connection.value.status === 'live'),
)

/** The note that nothing has followed yet. */
const lastNote = computed(() => {
  const last = open.value?.parts.at(-1)
  return last?.kind === 'notice' ? last : null
})

/** A call failed, and the next try has not said a word. */
export const isRetrying = computed(
  () => agent.value === 'model_loading' && lastNote.value?.code === 'model_retry',
)

function loadingWords(): string {
  const fallback = lastNote.value?.fallback
  if (isRetrying.value) return 'Trying again…'
  if (fallback) return `${fallback.actual} takes over…`
  const isCompacting = run.value.status === 'running' && run.value.kind === 'compact'
  return isCompacting ? 'Summarising…' : WORDS.model_loading
}

/** Nothing is done here while others work for it; '' while something is. */
const contactWords = computed(() => {
  if (run.value.status !== 'running' || run.value.waiting !== true) return ''
  const { exchanges, children } = folded.value
  const asked = exchanges
    .filter((one) => one.wait && one.cancelled !== true)
    .map((one) => one.toAgent)
  const names = [...asked, ...children.map((child) => child.agent)]
  return names.length > 2 ? `${names.length} agents` : names.join(' and ')
})

export const phaseWords = computed(() => {
  if (isStopping.value) return 'Stopping…'
  if (hasWaits.value) return 'Waiting for you'
  if (contactWords.value !== '') return `Waiting for ${contactWords.value}`
  return agent.value === 'model_loading' ? loadingWords() : WORDS[agent.value]
})

/** Only where there is more than one tool to tell apart. */
export const toolWords = computed(() => {
  const { statistics } = toolActivity(open.value === null ? [] : [open.value])
  const { activeCount, completedCount, totalCount } = statistics
  return activeCount > 0 && totalCount > 1 ? `${completedCount} of ${totalCount} tools done` : ''
})

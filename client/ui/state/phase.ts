// What the agent is doing, in words: for the end of the transcript and for screen readers.

import { computed } from '@preact/signals'
import type { AgentStatus } from '#protocol/live'
import { toolActivity } from '../../sdk/tool-notifications.ts'
import { agent, connection, isRunning, isStopping, open, waitingSends } from './session.ts'

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

export const phaseWords = computed(() => (isStopping.value ? 'Stopping…' : WORDS[agent.value]))

/** Only where there is more than one tool to tell apart. */
export const toolWords = computed(() => {
  const { statistics } = toolActivity(open.value === null ? [] : [open.value])
  const { activeCount, completedCount, totalCount } = statistics
  return activeCount > 0 && totalCount > 1 ? `${completedCount} of ${totalCount} tools done` : ''
})

// What a child is doing, in words; from its call alone, so it is the same live and after a reload.

import type { ChildView } from '#protocol/turns'

export type ChildStatus = ChildView['status']

export const CHILD_WORDS: Record<ChildStatus, string> = {
  running: 'Running',
  waiting: 'Waiting for you',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted',
  step_limit: 'Step limit',
}

/** The classes of a tool call, for the same look. */
export const CHILD_CLASSES: Record<ChildStatus, string> = {
  running: 'pending',
  waiting: 'pending',
  done: 'success',
  failed: 'error',
  cancelled: 'interrupted',
  interrupted: 'interrupted',
  step_limit: 'interrupted',
}

const ORDER: readonly ChildStatus[] = [
  'waiting',
  'running',
  'done',
  'failed',
  'cancelled',
  'interrupted',
  'step_limit',
]

/** "1 waiting for you, 2 running, 3 done". */
export function summarizeChildren(statuses: readonly ChildStatus[]): string {
  return ORDER.flatMap((status) => {
    const count = statuses.filter((one) => one === status).length
    return count === 0 ? [] : [`${count} ${CHILD_WORDS[status].toLowerCase()}`]
  }).join(', ')
}

// The four phases of an answer (UI1), from its parts alone: the same live and after a reload.

import type { Part } from '#protocol/turns'

export type MessagePhase = 'thinking' | 'working' | 'streaming' | 'done'

/** Between two steps the phase of the last part stays: the model is called again. */
export function messagePhase(parts: readonly Part[], isOpen: boolean): MessagePhase {
  if (!isOpen) return 'done'
  switch (parts.findLast(({ kind }) => kind !== 'notice')?.kind) {
    case 'tool':
      return 'working'
    case 'text':
      return 'streaming'
    default:
      return 'thinking'
  }
}

import { signal } from '@preact/signals'

/** The queued item under the pointer; a drop of anything else is not ours. */
export const draggedItem = signal<string | null>(null)

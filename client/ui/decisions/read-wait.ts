// What a child asks, as its parent is told: one line of it.

import type { ChildWait } from '#protocol/agent-events'

/** Characters that show nothing, or turn around what stands beside them. */
const HIDING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const CUT = '…'

/**
 * Whether the line is all that has to be seen before it is allowed. A command is its text, as long as
 * none of it was cut; a change of a file is its diff, a tool its arguments, and neither is told here.
 */
export const isAllThereIs = ({ kind, title }: Pick<ChildWait, 'kind' | 'title'>): boolean =>
  kind === 'command' && title.trim() !== '' && !title.endsWith(CUT) && !HIDING.test(title)

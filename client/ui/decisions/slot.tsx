// Where decisions, questions and plans come in. What shows them is loaded with the first of them;
// until then the line of the call stands for its card.

import type { ToolPart } from '#protocol/turns'
import { lazy } from '../lazy.ts'
import { folded, hasWaits } from '../state/session.ts'

/** With a call: its card. Without: what waits, and the plan, above the composer. */
export const Decisions = lazy<{ part?: ToolPart }>(() =>
  import('./decisions.tsx').then((file) => file.prepareDecisions()),
)

export function DecisionSlot() {
  return hasWaits.value || folded.value.plan ? <Decisions /> : null
}

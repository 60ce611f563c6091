// Where other agents come in: what was said to them and who works for this chat. Loaded with the
// first of it; until then the line of the call stands for it.

import type { ExchangeView, ToolPart } from '#protocol/turns'
import { lazy } from '../lazy.ts'
import { showFailure } from '../state/toasts.ts'

type Door = typeof import('./door.ts')

const load = (): Promise<Door> => import('./door.ts')

export const ChildTree = lazy<{ runId: string; parts: readonly ToolPart[] }>(() =>
  load().then((door) => door.ChildTree),
)
export const ExchangeBody = lazy<{ part: ToolPart; exchange: ExchangeView }>(() =>
  load().then((door) => door.ExchangeBody),
)

/** Without a run: the newest. */
export function openRunTree(runId: string | null = null): void {
  load()
    .then((door) => door.openRunTree(runId))
    .catch(showFailure('Could not open the runs'))
}

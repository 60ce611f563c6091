// A decision or question of a child that is answered at its parent: the session that asked decides.

import type { Command } from '#protocol/commands'
import { parseWaitId } from '#protocol/ids'

/** The session that asked; null: this one, or nobody. */
export function findAskedElsewhere(command: Command, sessionId: string): string | null {
  const waitId =
    command.type === 'decide'
      ? command.decisionId
      : command.type === 'answer'
        ? command.questionId
        : null
  const asked = waitId === null ? undefined : parseWaitId(waitId)?.sessionId
  return asked === undefined || asked === sessionId ? null : asked
}

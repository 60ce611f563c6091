// Changing what the next message goes to. In a session nothing is shown before its log says so.

import type { AgentSummary } from '#protocol/http'
import { pick, unanswered, type Choice } from './choice.ts'
import { identity } from './identity.ts'
import { config, folded, handle, isEmpty } from './session.ts'
import { showFailure } from './toasts.ts'

export function choose(changes: Partial<Choice>): void {
  const session = handle.peek()
  if (session === null) {
    pick(changes)
    return
  }
  unanswered.value = [...unanswered.peek(), session.sessionId]
  session
    .configure(changes)
    .catch(showFailure('Could not change it'))
    .finally(() => {
      const index = unanswered.peek().indexOf(session.sessionId)
      unanswered.value = unanswered.peek().toSpliced(index, 1)
    })
}

/** As long as nothing has been said, an agent brings its model too, where it names one. */
export function chooseAgent({ name, mode, models }: AgentSummary): void {
  const isNew = handle.peek() === null || (isEmpty.peek() && config.peek().messages === 0)
  const person = identity.peek()
  const known = isNew && person.status === 'in' ? person.me.models : []
  const model = models.find((id) => known.includes(id))
  const own = folded.peek().overrides.find(({ agentId }) => agentId === name)?.override.mode
  choose({ agent: name, mode: own ?? mode, ...(model === undefined ? {} : { model }) })
}

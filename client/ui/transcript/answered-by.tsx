import { Icon } from '../shell/icon.tsx'
import { config } from '../state/session.ts'

/** Said where it is not the agent of this chat: a message can be addressed to another. */
export function AnsweredBy({ agent }: { agent: string }) {
  if (agent === config.value.agent) return null
  return (
    <p class="answered-by">
      <Icon name="users" />
      <span class="visually-hidden">Answer of</span> {agent}
    </p>
  )
}

import { childWaits } from '../state/decisions.ts'
import { ChildWait } from './child-wait.tsx'

/** What the children of this chat are asked about, above the composer: each answered here, or opened. */
export function ChildWaits() {
  if (childWaits.value.length === 0) return null
  return (
    <ul class="child-waits" data-testid="child-waits" aria-label="Children wait for you">
      {childWaits.value.map(({ agent, wait }) => (
        <li key={wait.id}>
          <ChildWait agent={agent} wait={wait} />
        </li>
      ))}
    </ul>
  )
}

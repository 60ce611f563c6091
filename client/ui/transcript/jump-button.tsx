import { Icon } from '../shell/icon.tsx'
import { isBusy } from '../state/phase.ts'
import type { ScrollKeeper } from './scroll-keeper.ts'

export function JumpButton({ keeper }: { keeper: ScrollKeeper }) {
  if (keeper.isAtEnd.value) return null
  return (
    <button
      type="button"
      class="jump"
      data-busy={String(isBusy.value)}
      onClick={() => keeper.jumpToEnd()}
    >
      <Icon name="down" />
      Jump to latest
    </button>
  )
}

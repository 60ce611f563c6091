import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { openRunTree } from '../contacts/slot.ts'
import { context } from '../state/session.ts'
import { LEVEL_WORDS, levelOf, percentOf } from './context-level.ts'
import { UsagePanel } from './usage-panel.tsx'

// Loaded together: each chunk that is loaded by itself makes the first load larger.
export { RunFigures } from './figures.tsx'

export function ContextMeter() {
  const isOpen = useSignal(false)
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen.value) return
    return followDismissal(root.current!, (isByKey) => {
      isOpen.value = false
      if (isByKey) button.current?.focus()
    })
  }, [isOpen.value])
  if (context.value === null) return null
  const showRuns = (): void => {
    isOpen.value = false
    // Where the keyboard is to be when the dialog closes.
    button.current?.focus()
    openRunTree()
  }
  const percent = percentOf(context.value)
  const level = levelOf(percent)
  const words = LEVEL_WORDS[level]
  return (
    <div class="meter" ref={root}>
      <button
        type="button"
        class="meter-button"
        ref={button}
        data-testid="context-meter"
        data-level={level}
        aria-expanded={isOpen.value}
        aria-haspopup="dialog"
        title="Context and usage"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <svg class="meter-ring" viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="10" cy="10" r="8" />
          <circle
            cx="10"
            cy="10"
            r="8"
            pathLength={100}
            stroke-dasharray={`${Math.min(percent, 100)} 100`}
          />
        </svg>
        <span>
          {percent} % of context{words !== '' && <b>, {words}</b>}
        </span>
      </button>
      {isOpen.value && <UsagePanel context={context.value} onShowRuns={showRuns} />}
    </div>
  )
}

/** Escape, and a press anywhere else. In capture: the same Escape must not stop a run as well. */
function followDismissal(root: HTMLElement, dismiss: (isByKey: boolean) => void): () => void {
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    dismiss(true)
  }
  const handlePress = ({ target }: Event): void => {
    if (!(target instanceof Node && root.contains(target))) dismiss(false)
  }
  document.addEventListener('keydown', handleKey, true)
  document.addEventListener('pointerdown', handlePress, true)
  return () => {
    document.removeEventListener('keydown', handleKey, true)
    document.removeEventListener('pointerdown', handlePress, true)
  }
}

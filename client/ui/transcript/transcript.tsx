import { useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { lazy } from '../lazy.ts'
import { route } from '../state/route.ts'
import { isEmpty, isLoaded, turns } from '../state/session.ts'
import { ContinueRow } from './continue-row.tsx'
import { JumpButton } from './jump-button.tsx'
import { OlderSentinel } from './older-sentinel.tsx'
import { PendingMessages } from './pending-messages.tsx'
import { ScrollKeeper } from './scroll-keeper.ts'
import { seekTurn } from './seek-turn.ts'
import { TurnList } from './turn-list.tsx'
import { TypingIndicator } from './typing-indicator.tsx'

const EmptyHint = lazy(() => import('./empty-hint.tsx').then((file) => file.EmptyHint))

export function Transcript() {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const keeper = useSignal<ScrollKeeper | null>(null)
  useLayoutEffect(() => {
    const made = new ScrollKeeper(scroller.current!, content.current!)
    keeper.value = made
    const stop = made.start()
    // Not a signal effect of this component: those wait for a frame, when the DOM has changed.
    const unsubscribe = turns.subscribe(() => made.noteTurns())
    return () => {
      unsubscribe()
      stop()
    }
  }, [])
  useSignalEffect(() => {
    const target = route.value.name === 'session' ? route.value.seq : null
    if (target === null || !isLoaded.value || keeper.value === null) return
    keeper.value.release()
    void seekTurn(content.current!, target)
  })
  return (
    <div class="transcript-frame">
      <div class="scroller" ref={scroller} tabIndex={0} role="region" aria-label="Conversation">
        <div class="column" ref={content}>
          <OlderSentinel scroller={scroller} />
          <EmptyState />
          <section class="transcript" data-testid="transcript">
            <TurnList />
            <ContinueRow />
            <PendingMessages />
            <TypingIndicator />
          </section>
        </div>
      </div>
      {keeper.value && <JumpButton keeper={keeper.value} />}
    </div>
  )
}

/** Only once it is known that there is nothing: a long session must not open with a hint. */
function EmptyState() {
  const isNew = route.value.name === 'new'
  return isEmpty.value && (isNew || isLoaded.value) ? <EmptyHint /> : null
}

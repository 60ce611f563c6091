import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ChildWait as Wait } from '#protocol/agent-events'
import { parseWaitId } from '#protocol/ids'
import type { ToolPart } from '#protocol/turns'
import { api } from '../state/client.ts'
import { leaveCard } from '../state/decisions.ts'
import { held } from '../state/sessions.ts'
import { ChildReview } from './child-review.tsx'
import { ChildWaitCard } from './child-wait-card.tsx'
import { toAskedCall } from './read-wait.ts'

/** Of the child's log before the question: enough to hold the call that asks, nearly always. */
const READ_EVENTS = 40
const GONE = 'It is not asked any more.'

async function readAsked(wait: Wait): Promise<ToolPart | string> {
  const seq = parseWaitId(wait.id)?.seq
  if (seq === undefined) return GONE
  try {
    const { events } = await api.events(wait.sessionId, { before: seq + 1, limit: READ_EVENTS })
    return toAskedCall(events, wait) ?? GONE
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** In the dock alone: scrolling into view would move the page with it. */
function takeFocus(wait: HTMLElement): void {
  const dock = wait.closest<HTMLElement>('.child-waits')
  if (dock === null) return
  dock.scrollTop += wait.getBoundingClientRect().top - dock.getBoundingClientRect().top
  wait.querySelector<HTMLElement>('.wait-card')?.focus({ preventScroll: true })
}

/** One thing that waits in a child: a line of it, and on demand all of it, as it stands there. */
export function ChildWait({ agent, wait }: { agent: string; wait: Wait }) {
  const root = useRef<HTMLDivElement>(null)
  const asked = useSignal<ToolPart | null>(null)
  const reading = useSignal<'no' | 'yes' | { problem: string }>('no')
  /** The keyboard follows to what took the place of what it was on. */
  const isMoved = useRef(false)
  useLayoutEffect(() => {
    if (isMoved.current) takeFocus(root.current!)
    isMoved.current = false
  }, [asked.value])
  // Answered on another device: a key that was meant for it must not reach the page, and stop the run.
  useLayoutEffect(() => () => void (root.current && leaveCard(root.current)), [])
  const review = async (): Promise<void> => {
    if (reading.peek() === 'yes') return
    reading.value = 'yes'
    const found = await readAsked(wait)
    reading.value = typeof found === 'string' ? { problem: found } : 'no'
    if (typeof found === 'string') return
    isMoved.current = root.current?.contains(document.activeElement) === true
    asked.value = found
  }
  const fold = (): void => {
    isMoved.current = true
    asked.value = null
  }
  // A child of a child has a name of its own, where it is known.
  const who = held.value.get(wait.sessionId)?.agent ?? agent
  return (
    <div ref={root}>
      {asked.value === null ? (
        <ChildWaitCard
          who={who}
          wait={wait}
          reading={reading.value}
          onReview={() => void review()}
        />
      ) : (
        <ChildReview who={who} wait={wait} part={asked.value} onFold={fold} />
      )}
    </div>
  )
}

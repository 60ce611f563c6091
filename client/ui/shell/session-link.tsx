import type { ComponentChildren } from 'preact'
import { openSession } from '../state/route.ts'
import { closeDrawer } from '../state/viewport.ts'

type Props = {
  sessionId: string
  class: string
  /** Where what it says is not enough to know where it leads. */
  label?: string
  title?: string
  children: ComponentChildren
}

/** A new tab is the browser's business. */
export const isPlainClick = (event: MouseEvent): boolean =>
  !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0

export function SessionLink({ sessionId, class: name, label, title, children }: Props) {
  const handleClick = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    openSession(sessionId)
    closeDrawer()
  }
  return (
    <a class={name} href={`/s/${sessionId}`} aria-label={label} title={title} onClick={handleClick}>
      {children}
    </a>
  )
}

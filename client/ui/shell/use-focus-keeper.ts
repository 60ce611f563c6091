import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { focusComposer } from '../state/drafts.ts'

/** What was pressed may go with what it did: the keyboard stays in this part, or near it. */
export function useFocusKeeper() {
  const root = useRef<HTMLElement>(null)
  const isIn = useRef(false)
  const isLost = (): boolean => isIn.current && document.activeElement === document.body
  useLayoutEffect(() => {
    if (isLost()) root.current?.querySelector('button')?.focus()
  })
  useEffect(() => () => void (isLost() && focusComposer()), [])
  return {
    ref: root,
    onFocusIn: () => (isIn.current = true),
    onFocusOut: ({ relatedTarget }: FocusEvent) => (isIn.current = relatedTarget === null),
  }
}

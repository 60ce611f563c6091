import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../shell/icon.tsx'
import { ToastStack } from '../shell/toast-stack.tsx'

type Props = {
  name: string
  title: ComponentChildren
  /** Beside the title. */
  tools?: ComponentChildren
  /** False: something is not saved, and that has been said. */
  mayClose?: () => boolean
  /** What it was opened for is done. */
  isOver?: boolean
  onKey?: (event: KeyboardEvent) => void
  onClose: () => void
  children: ComponentChildren
}

/** What all dialogs about files have in common. Behind a dialog no toast can be reached: it has them. */
export function FileDialog(props: Props) {
  const { name, title, tools, mayClose, isOver, onKey, onClose, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useLayoutEffect(() => {
    if (isOver === true) dialog.current?.close()
  }, [isOver])
  const leave = (): void => {
    if (mayClose?.() !== false) dialog.current?.close()
  }
  // The key, where the focus is in the dialog; `cancel`, where it is nowhere. A browser asks `cancel`
  // only once before it closes, so what is not saved cannot depend on it.
  const handleCancel = (event: Event): void => {
    event.preventDefault()
    leave()
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    if (event.key === 'Escape') handleCancel(event)
    else onKey?.(event)
  }
  return (
    <dialog
      ref={dialog}
      class={`dialog file-dialog ${name}-dialog`}
      data-testid={`${name}-dialog`}
      aria-labelledby={`${name}-title`}
      tabIndex={-1}
      onClose={onClose}
      onCancel={handleCancel}
      onKeyDown={handleKey}
      onClick={(event) => event.target === dialog.current && leave()}
    >
      <header class="dialog-head file-dialog-head">
        <h2 id={`${name}-title`}>{title}</h2>
        {tools}
        <button type="button" class="icon-button" aria-label="Close" onClick={leave}>
          <Icon name="close" />
        </button>
      </header>
      {children}
      <ToastStack />
    </dialog>
  )
}

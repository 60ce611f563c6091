// A dialog that is loaded when it is asked for has a root of its own: nothing of it is in the page
// before, and its form does not stand inside another.

import { h, render, type FunctionComponent } from 'preact'

type Dialog = FunctionComponent<{ onClose: () => void }>

/** `back`: where the focus goes afterwards. */
export function mountDialog(dialog: Dialog, back: Element | null = document.activeElement): void {
  // Asked for twice while it was on its way.
  if (document.querySelector('dialog[open]') !== null) return
  const host = document.body.appendChild(document.createElement('div'))
  const handleClose = (): void => {
    render(null, host)
    host.remove()
    if (back instanceof HTMLElement) back.focus()
  }
  render(h(dialog, { onClose: handleClose }), host)
}

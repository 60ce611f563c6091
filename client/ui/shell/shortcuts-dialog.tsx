import { useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { isShortcutsOpen } from '../state/shortcuts.ts'
import { Icon } from './icon.tsx'

const SHORTCUTS: readonly (readonly [keys: string, what: string])[] = [
  ['Enter', 'Send, or queue while the agent works'],
  ['Shift Enter', 'New line'],
  ['Ctrl Enter', 'Steer: the agent sees it at its next step'],
  ['Ctrl Shift Enter', 'Interrupt: stop, then answer this'],
  ['Esc', 'Stop the run'],
  ['/', 'Write a message (also Ctrl K)'],
  ['Ctrl Shift O', 'New chat'],
  ['Alt ↑ ↓', 'Previous or next chat'],
  ['Ctrl B', 'Show or hide the chats'],
  ['F2', 'Rename the chat'],
  ['?', 'This list'],
]

const close = (): void => {
  isShortcutsOpen.value = false
}

export function ShortcutsDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  useSignalEffect(() => {
    if (isShortcutsOpen.value) dialog.current?.showModal()
    else dialog.current?.close()
  })
  return (
    <dialog
      class="dialog"
      ref={dialog}
      aria-labelledby="shortcuts-title"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id="shortcuts-title">Keyboard</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <dl class="shortcuts">
          {SHORTCUTS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                {keys.split(' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </dialog>
  )
}

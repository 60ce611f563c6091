import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { mountDialog } from './mount-dialog.ts'

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
  ['Alt J', 'To the next decision or question that waits'],
  ['a r w', 'On its card: accept (also Enter), reject, always…'],
  ['o', 'On the card of a child: open its chat'],
  ['Ctrl Enter', 'In a field of its card: accept, or answer'],
  ['i', 'Inbox: what waits for you'],
  ['?', 'This list'],
]

export const openShortcutsDialog = (): void => mountDialog(ShortcutsDialog)

function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  return (
    <dialog
      class="dialog"
      ref={dialog}
      aria-labelledby="shortcuts-title"
      onClose={onClose}
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
            <div key={what}>
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

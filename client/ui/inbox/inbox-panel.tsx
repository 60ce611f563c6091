import { useLayoutEffect, useRef } from 'preact/hooks'
import type { InboxEntry } from '#protocol/hub'
import { loadStyles } from '../load-styles.ts'
import { Icon } from '../shell/icon.tsx'
import { mountDialog } from '../shell/mount-dialog.ts'
import { inbox, isNotifying, setNotifying } from '../state/inbox.ts'
import { showToast } from '../state/toasts.ts'
import styleUrl from '../styles/inbox.css?url'
import { askToNotify } from './notify.ts'
import { Entry } from './inbox-entry.tsx'
import { openEntry } from './open-entry.ts'

const styles = loadStyles(styleUrl)

export async function openInboxPanel(): Promise<void> {
  const back = document.activeElement
  await styles
  mountDialog(InboxPanel, back)
}

/** Permission is asked here and nowhere else: somebody has just pressed for it. */
async function toggleNotifying(): Promise<void> {
  if (isNotifying.peek()) return setNotifying(false)
  if (await askToNotify()) setNotifying(true)
  else showToast('This browser does not allow notifications from here.')
}

function Bell() {
  const label = isNotifying.value ? 'Stop notifying this device' : 'Notify this device'
  return (
    <button
      type="button"
      class="icon-button"
      aria-pressed={isNotifying.value}
      aria-label={label}
      title={label}
      onClick={() => void toggleNotifying()}
    >
      <Icon name="bell" />
    </button>
  )
}

function InboxPanel({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  const open = (entry: InboxEntry): void => {
    close()
    openEntry(entry)
  }
  return (
    <dialog
      class="dialog"
      ref={dialog}
      data-testid="inbox-panel"
      aria-labelledby="inbox-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id="inbox-title">Waiting for you</h2>
          <span>
            <Bell />
            <button type="button" class="icon-button" aria-label="Close" onClick={close}>
              <Icon name="close" />
            </button>
          </span>
        </header>
        {inbox.value.length === 0 && <p class="inbox-note">Nothing waits for you.</p>}
        <ul class="inbox-entries">
          {inbox.value.map((entry) => (
            <Entry key={entry.id} entry={entry} onOpen={() => open(entry)} />
          ))}
        </ul>
      </div>
    </dialog>
  )
}

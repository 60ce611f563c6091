import { useLayoutEffect, useRef } from 'preact/hooks'
import type { InboxEntry } from '#protocol/hub'
import { formatAge } from '../format.ts'
import { loadStyles } from '../load-styles.ts'
import { Icon } from '../shell/icon.tsx'
import { mountDialog } from '../shell/mount-dialog.ts'
import { now } from '../state/clock.ts'
import { inbox, isNotifying, setNotifying } from '../state/inbox.ts'
import { showToast } from '../state/toasts.ts'
import styleUrl from '../styles/inbox.css?url'
import { askToNotify } from './notify.ts'
import { openEntry } from './open-entry.ts'
import { KIND_WORDS } from './words.ts'

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

function Entry({ entry, onOpen }: { entry: InboxEntry; onOpen: () => void }) {
  const { kind, severity, title, reason, sessionTitle, at } = entry
  return (
    <li>
      <button
        type="button"
        class="inbox-entry"
        data-wait={entry.id}
        data-severity={severity}
        onClick={onOpen}
      >
        <span class="inbox-entry-head">
          <span class="inbox-session">{sessionTitle}</span>
          <span class="inbox-age">{formatAge(at, now.value)}</span>
        </span>
        <span class="inbox-title">{title}</span>
        <span class="inbox-reason">
          <span class="inbox-kind">{KIND_WORDS[kind]}</span>
          {kind !== 'question' && <span class="inbox-severity">{severity}</span>}
          {reason}
        </span>
      </button>
    </li>
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

// Keys that work anywhere on the page. A field that uses Escape for itself stops the event there.

import { stopRun } from './commands.ts'
import { focusComposer } from './drafts.ts'
import { openInbox } from './inbox.ts'
import { openNewChat, openSession, openSessionId } from './route.ts'
import { startRename } from './session-actions.ts'
import { neighbourOf } from './session-tree.ts'
import { showFailure } from './toasts.ts'
import { closeDrawer, isDrawerOpen, toggleSidebar } from './viewport.ts'

export function openShortcuts(): void {
  import('../shell/shortcuts-dialog.tsx')
    .then((file) => file.openShortcutsDialog())
    .catch(showFailure('Could not open the list of keys'))
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

function chordOf(event: KeyboardEvent): string {
  const isCommand = event.ctrlKey || event.metaKey
  // `?` is Shift and something that differs by keyboard: for plain characters only the result counts.
  const isPlain = event.key.length === 1 && !isCommand
  const modifiers = [
    isCommand ? 'Ctrl+' : '',
    event.altKey ? 'Alt+' : '',
    event.shiftKey && !isPlain ? 'Shift+' : '',
  ]
  return (
    modifiers.join('') + (isPlain || event.key.length > 1 ? event.key : event.key.toUpperCase())
  )
}

const step = (by: 1 | -1) => (): void => {
  const next = neighbourOf(openSessionId.peek(), by)
  if (next !== null) openSession(next)
}

export function startNewChat(): void {
  closeDrawer()
  openNewChat()
  focusComposer()
}

const ANYWHERE: Record<string, () => void> = {
  'Ctrl+K': focusComposer,
  'Ctrl+Shift+O': startNewChat,
  'Ctrl+B': toggleSidebar,
  'Alt+ArrowUp': step(-1),
  'Alt+ArrowDown': step(1),
  F2: () => startRename(openSessionId.peek(), 'header'),
}

/** Plain characters: only where nothing is being typed. */
const OUTSIDE_FIELDS: Record<string, () => void> = {
  '/': focusComposer,
  i: openInbox,
  '?': openShortcuts,
}

function handleEscape(): void {
  if (isDrawerOpen.peek()) closeDrawer()
  else stopRun()
}

export function handleShortcut(event: KeyboardEvent): void {
  // A modal keeps its keys: Escape closes it and must not stop the run behind it.
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
  const chord = chordOf(event)
  const run =
    chord === 'Escape'
      ? handleEscape
      : (ANYWHERE[chord] ?? (isTyping(event.target) ? undefined : OUTSIDE_FIELDS[chord]))
  if (run === undefined) return
  event.preventDefault()
  run()
}

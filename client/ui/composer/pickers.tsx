// Which agent, model and mode: the buttons. What they open is loaded when somebody comes near.

import { signal, useSignalEffect } from '@preact/signals'
import type { ComponentChildren, FunctionComponent } from 'preact'
import { Icon } from '../shell/icon.tsx'
import { choice, colourOf, unanswered } from '../state/choice.ts'
import { openSessionId } from '../state/route.ts'
import { showFailure } from '../state/toasts.ts'
import { MODE_ICONS, MODE_NAMES, nameOfModel } from './names.ts'

export type PickerKind = 'agent' | 'model' | 'mode' | 'settings'

export const openPicker = signal<PickerKind | null>(null)

const Menu = signal<FunctionComponent<{ kind: PickerKind }> | null>(null)

let isAsked = false

function loadMenu(): void {
  if (isAsked) return
  isAsked = true
  import('./picker-menu.tsx')
    .then((file) => file.preparePickerMenu())
    .then((menu) => (Menu.value = menu))
    .catch((error: unknown) => {
      // Offline, or deployed anew: the next touch asks again.
      isAsked = false
      if (openPicker.peek() !== null) showFailure('Could not open the list')(error)
      openPicker.value = null
    })
}

/** Until the list has the focus, the button has the key that would stop the run. */
function handleKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || openPicker.peek() === null) return
  event.preventDefault()
  openPicker.value = null
}

export function Pickers({ isNarrow = false }: { isNarrow?: boolean }) {
  // The colours of agents come with the menu.
  useSignalEffect(() => {
    if (choice.value !== null && colourOf(choice.value.agent) === '') loadMenu()
  })
  if (choice.value === null) return null
  const { agent, model, mode } = choice.value
  const name = nameOfModel(model)
  const dot = <span class="agent-dot" data-colour={colourOf(agent)} />
  const words = mode === 'agent' ? name : `${name} · ${MODE_NAMES[mode]}`
  return (
    <div
      class="pickers"
      aria-busy={unanswered.value.includes(openSessionId.value ?? '')}
      onPointerEnter={loadMenu}
      onFocusIn={loadMenu}
      onKeyDown={handleKey}
    >
      {isNarrow ? (
        <Picker kind="settings" label={`Agent ${agent}, model`} name={words} sign={dot} />
      ) : (
        <>
          <Picker kind="agent" label="Agent:" name={agent} sign={dot} />
          <Picker kind="model" label="Model:" name={name} />
          <Picker
            kind="mode"
            label="Mode:"
            name={MODE_NAMES[mode]}
            sign={<Icon name={MODE_ICONS[mode]} />}
          />
        </>
      )}
      {openPicker.value && Menu.value && <Menu.value kind={openPicker.value} />}
    </div>
  )
}

type Props = { kind: PickerKind; label: string; name: string; sign?: ComponentChildren }

function Picker({ kind, label, name, sign }: Props) {
  const isOpen = openPicker.value === kind
  const handleClick = (): void => {
    openPicker.value = isOpen ? null : kind
    loadMenu()
  }
  return (
    <button
      type="button"
      class="picker"
      data-testid={kind === 'settings' ? 'model' : kind}
      data-picker={kind}
      aria-haspopup={kind === 'settings' ? 'menu' : 'listbox'}
      aria-expanded={isOpen}
      aria-label={`${label} ${name}`}
      title={`${label} ${name}`}
      onClick={handleClick}
    >
      {sign}
      <span class="picker-name">{name}</span>
      <Icon name="down" />
    </button>
  )
}

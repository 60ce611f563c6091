// What a picker opens. Loaded when somebody comes near one; brings its own styles.

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Mode } from '#protocol/events'
import { loadStyles } from '../load-styles.ts'
import styles from '../styles/pickers.css?url'
import { agents, choice, type Choice } from '../state/choice.ts'
import { askedOnce } from '../state/ask-once.ts'
import { choose, chooseAgent } from '../state/choose.ts'
import {
  defaultModel,
  followAgent,
  listProblem,
  loadAgents,
  loadModels,
  models,
} from '../state/lists.ts'
import { openMission } from '../state/missions.ts'
import { openSessionId } from '../state/route.ts'
import { isRunning } from '../state/session.ts'
import { showFailure } from '../state/toasts.ts'
import { MODE_NAMES, nameOfModel } from './names.ts'
import { toAgentOptions, toModelOptions, toModeOptions, type Option } from './options.ts'
import { PickerList } from './picker-list.tsx'
import { openPicker, type PickerKind } from './pickers.tsx'

/** Brings the colours too, for the dot of an agent that this page does not know yet. */
export async function preparePickerMenu(): Promise<typeof PickerMenu> {
  await loadStyles(styles)
  followAgent()
  return PickerMenu
}

const LABELS: Record<PickerKind, string> = {
  agent: 'Agent',
  model: 'Model',
  mode: 'Mode',
  settings: 'Settings',
}

function toOptions(kind: PickerKind, now: Choice): Option[] {
  switch (kind) {
    case 'agent':
      return toAgentOptions(agents.value)
    case 'model':
      return toModelOptions(models.value, defaultModel.value)
    case 'mode':
      return toModeOptions()
    case 'settings':
      return [
        { id: 'agent', label: 'Agent', detail: now.agent },
        { id: 'model', label: 'Model', detail: nameOfModel(now.model) },
        { id: 'mode', label: 'Mode', detail: MODE_NAMES[now.mode] },
      ]
  }
}

function take(kind: PickerKind, id: string): void {
  const agent = agents.peek().find(({ name }) => name === id)
  if (kind === 'agent' && agent !== undefined) chooseAgent(agent)
  else if (kind === 'model') choose({ model: id })
  else if (kind === 'mode') choose({ mode: id as Mode })
}

function loadLists(): void {
  void loadAgents()
  void loadModels()
}

const closeMenu = (): void => {
  openPicker.value = null
}

function openAgents(back: HTMLElement | null): void {
  closeMenu()
  import('../agents/open-agents.ts')
    .then((file) => file.openAgents(back))
    .catch(showFailure('Could not open the agents'))
}

function openOverride(back: HTMLElement | null): void {
  closeMenu()
  import('../agents/open-agents.ts')
    .then((file) => file.openOverride(back))
    .catch(showFailure('Could not open the agent'))
}

function openApprovals(back: HTMLElement | null): void {
  closeMenu()
  import('../decisions/open-approvals.ts')
    .then((file) => file.openApprovals(back))
    .catch(showFailure('Could not open the approvals'))
}

export function PickerMenu({ kind: opened }: { kind: PickerKind }) {
  const popup = useRef<HTMLDivElement>(null)
  // On a phone one button leads to all three lists.
  const inner = useSignal<PickerKind | null>(null)
  /** An agent is asked once, and the chat keeps its own. */
  const isOnce = useSignal(false)
  const kind = inner.value ?? opened
  const findTrigger = (): HTMLElement | null =>
    popup.current?.parentElement?.querySelector<HTMLElement>(`[data-picker=${opened}]`) ?? null

  useLayoutEffect(() => placeAbove(popup.current!, findTrigger()), [opened])
  useEffect(loadLists, [])
  useEffect(() => {
    inner.value = null
  }, [opened])
  // Before anything else can happen: a key may follow at once.
  useLayoutEffect(() => closeWhenLeft(popup.current!.parentElement!), [])

  const close = (): void => {
    const trigger = findTrigger()
    closeMenu()
    trigger?.focus()
  }
  const handleChoose = (id: string): void => {
    if (kind === 'settings') {
      inner.value = id as PickerKind
      return
    }
    if (kind === 'agent' && isOnce.peek()) askedOnce.value = id
    else if (choice.peek()?.[kind] !== id) take(kind, id)
    close()
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    // Keys that mean something on the page mean something else here: Escape stops no run.
    event.stopPropagation()
    if (event.key !== 'Escape') return
    event.preventDefault()
    close()
  }
  const now = choice.value
  if (now === null) return null
  const options = toOptions(kind, now)
  return (
    <div ref={popup} class="picker-menu" data-kind={kind} tabIndex={-1} onKeyDown={handleKey}>
      <p class="picker-title" aria-hidden="true">
        {LABELS[kind]}
      </p>
      <PickerList
        key={kind}
        label={LABELS[kind]}
        options={options}
        selected={kind === 'settings' ? null : now[kind]}
        onChoose={handleChoose}
      />
      {options.length === 0 && <Missing />}
      {kind === 'agent' && openSessionId.value !== null && (
        <label class="picker-once">
          <input
            type="checkbox"
            checked={isOnce.value}
            onChange={(event) => (isOnce.value = event.currentTarget.checked)}
          />
          Only for the next message
        </label>
      )}
      <Notes kind={kind} now={now} />
      {kind === 'agent' && (
        <button
          type="button"
          class="picker-action"
          data-testid="manage-agents"
          onClick={() => openAgents(findTrigger())}
        >
          Manage agents…
        </button>
      )}
      {(kind === 'agent' || kind === 'settings') && openSessionId.value !== null && (
        <>
          <button
            type="button"
            class="picker-action"
            data-testid="override"
            onClick={() => openOverride(findTrigger())}
          >
            Change {now.agent} for this chat…
          </button>
          <button
            type="button"
            class="picker-action"
            data-testid="set-mission"
            onClick={() => {
              closeMenu()
              openMission(findTrigger())
            }}
          >
            Mission…
          </button>
        </>
      )}
      {(kind === 'mode' || kind === 'settings') && openSessionId.value !== null && (
        <button
          type="button"
          class="picker-action"
          data-testid="approvals"
          onClick={() => openApprovals(findTrigger())}
        >
          What needs your approval…
        </button>
      )}
    </div>
  )
}

function Missing() {
  if (listProblem.value === null) {
    return (
      <p class="picker-note" role="status">
        Loading…
      </p>
    )
  }
  return (
    <p class="picker-note" role="alert">
      Could not load the list: {listProblem}.{' '}
      <button type="button" class="text-button" onClick={loadLists}>
        Try again
      </button>
    </p>
  )
}

function Notes({ kind, now }: { kind: PickerKind; now: Choice }) {
  const isGone =
    kind === 'agent' && agents.value.length > 0 && !agents.value.some((a) => a.name === now.agent)
  return (
    <>
      {isGone && <p class="picker-note">“{now.agent}” was deleted: assistant answers instead.</p>}
      {isRunning.value && (
        <p class="picker-note" data-testid="next-run">
          The answer being written stays as it is. A change counts from the next one.
        </p>
      )}
    </>
  )
}

/** Where its button is, as far as there is room. A phone's hangs over the whole width. */
function placeAbove(popup: HTMLElement, trigger: HTMLElement | null): void {
  const room = popup.closest('.composer-bar')?.clientWidth
  if (room === undefined || trigger === null) return
  popup.style.left = `${Math.max(0, Math.min(trigger.offsetLeft, room - popup.offsetWidth))}px`
}

/** A press or a focus elsewhere, or another session: the list is not looked at any more. */
function closeWhenLeft(around: HTMLElement): () => void {
  const leave = (event: Event): void => {
    const target = event.type === 'focusout' ? (event as FocusEvent).relatedTarget : event.target
    if (target instanceof Node && !around.contains(target)) closeMenu()
  }
  const session = openSessionId.peek()
  const unsubscribe = openSessionId.subscribe((id) => id !== session && closeMenu())
  document.addEventListener('pointerdown', leave)
  around.addEventListener('focusout', leave)
  return () => {
    unsubscribe()
    document.removeEventListener('pointerdown', leave)
    around.removeEventListener('focusout', leave)
  }
}

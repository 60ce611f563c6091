// Setting a mission: of this chat, or of its agent in every chat.

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../shell/icon.tsx'
import { config, handle } from '../state/session.ts'
import { MissionForm } from './mission-form.tsx'
import { MissionHistory } from './mission-history.tsx'

export type Target = 'session' | 'agent'

export function MissionDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const target = useSignal<Target>('session')
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  // Of the chat it was opened in: another one has a mission of its own.
  useEffect(() => {
    const session = handle.peek()
    return handle.subscribe((now) => now !== session && close())
  }, [])
  const { agent } = config.value
  return (
    <dialog
      ref={dialog}
      class="dialog mission-dialog"
      data-testid="mission-dialog"
      aria-labelledby="mission-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id="mission-title">Mission</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <p class="mission-hint">
          A standing goal. While nobody writes, its schedule prompts the agent, until the goal is
          reached, the prompts are used up, or you stop it.
        </p>
        <fieldset class="mission-targets">
          <legend class="visually-hidden">Whose mission</legend>
          <Choice
            label="This chat"
            isOn={target.value === 'session'}
            onChoose={() => (target.value = 'session')}
          />
          <Choice
            label={`${agent}, in every chat`}
            isOn={target.value === 'agent'}
            onChoose={() => (target.value = 'agent')}
          />
        </fieldset>
        <MissionForm key={target.value} target={target.value} agent={agent} onDone={close} />
        <MissionHistory key={`${target.value}-history`} target={target.value} agent={agent} />
      </div>
    </dialog>
  )
}

function Choice({ label, isOn, onChoose }: { label: string; isOn: boolean; onChoose: () => void }) {
  return (
    <label class="mission-target">
      <input type="radio" name="mission-target" checked={isOn} onChange={onChoose} />
      <span>{label}</span>
    </label>
  )
}

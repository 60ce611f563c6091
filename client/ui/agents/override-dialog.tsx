// The agent of this chat, changed for this chat alone (AGT7).

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { AgentSummary } from '#protocol/http'
import { Icon } from '../shell/icon.tsx'
import { agents } from '../state/choice.ts'
import { listProblem, loadAgents, loadModels } from '../state/lists.ts'
import { config, handle } from '../state/session.ts'
import { OverrideForm } from './override-form.tsx'

const findAgent = (name: string): AgentSummary | undefined =>
  agents.value.find((agent) => agent.name === name)

export function OverrideDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  // The one that the chat had when this was opened: another person may choose another meanwhile.
  const name = useSignal(config.peek().agent).peek()
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  useEffect(() => {
    void loadAgents()
    void loadModels()
    const session = handle.peek()
    return handle.subscribe((now) => now !== session && close())
  }, [])
  const agent = findAgent(name)
  return (
    <dialog
      ref={dialog}
      class="dialog agents-dialog"
      data-testid="override-dialog"
      aria-labelledby="override-title"
      tabIndex={-1}
      onClose={onClose}
    >
      <header class="dialog-head agents-head">
        <h2 id="override-title">{name}, for this chat only</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {agent === undefined ? (
        <p class="agents-body" role="status">
          {listProblem.value ?? 'Loading…'}
        </p>
      ) : (
        <OverrideForm agent={agent} onDone={close} />
      )}
    </dialog>
  )
}

// What the agent may do in this chat without asking, and what was said about it before.

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { SessionChanges } from '#protocol/events'
import { Icon } from '../shell/icon.tsx'
import { config, handle } from '../state/session.ts'
import { PatternsField } from './patterns-field.tsx'
import { OwnerRules, SessionRules } from './saved-rules.tsx'

export function ApprovalsDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const problem = useSignal<string | null>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  // Of the chat it was opened in: another one has settings of its own.
  useEffect(() => {
    const session = handle.peek()
    return handle.subscribe((now) => now !== session && close())
  }, [])
  const change = async (changes: SessionChanges): Promise<void> => {
    problem.value = null
    try {
      await handle.peek()?.configure(changes)
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
    }
  }
  const { autoApproveCommands, autoApproveSensitiveEdits, sensitivePatterns } = config.value
  return (
    <dialog
      class="dialog approvals"
      ref={dialog}
      data-testid="approvals-dialog"
      aria-labelledby="approvals-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id="approvals-title">What needs your approval</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <p class="card-problem" role="alert">
          {problem}
        </p>
        <Setting
          name="commands"
          label="Run commands without asking"
          what="Commands that only change files of this workspace run at once. What is dangerous, reaches outside or cannot be understood is still asked about."
          isOn={autoApproveCommands}
          onChange={(isOn) => void change({ autoApproveCommands: isOn })}
        />
        <Setting
          name="edits"
          label="Edit sensitive files without asking"
          what="Environment files, keys, lock files, CI and what you list below are changed at once. Deleting one is still asked about."
          isOn={autoApproveSensitiveEdits}
          onChange={(isOn) => void change({ autoApproveSensitiveEdits: isOn })}
        />
        <PatternsField
          saved={sensitivePatterns}
          onSave={(patterns) => change({ sensitivePatterns: patterns })}
        />
        <SessionRules />
        <OwnerRules />
      </div>
    </dialog>
  )
}

type SettingProps = {
  name: string
  label: string
  what: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

function Setting({ name, label, what, isOn, onChange }: SettingProps) {
  return (
    <label class="approval-setting">
      <input
        type="checkbox"
        data-setting={name}
        checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        <b>{label}</b>
        <span>{what}</span>
      </span>
    </label>
  )
}

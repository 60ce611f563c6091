// The runs of this chat, one of them with everything that works or worked for it.

import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../shell/icon.tsx'
import { countRuns, type RunNode } from './run-tree.ts'
import { RunChoice } from './run-choice.tsx'
import { RunRow } from './run-row.tsx'
import { useRunTree } from './use-run-tree.ts'

type Props = { runId: string | null; onClose: () => void }

/** `runId` null: the newest. */
export function RunTreeDialog({ runId, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  const chosen = useSignal(runId)
  const { tree, runs, older, problem, cancel, readOlder } = useRunTree(chosen, close)
  return (
    <dialog
      class="dialog run-tree"
      ref={dialog}
      data-testid="run-tree"
      aria-labelledby="run-tree-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id="run-tree-title">{titleOf(tree.value)}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <RunChoice
          runs={runs.value}
          chosen={chosen}
          hasOlder={older.value !== null}
          onOlder={() => void readOlder()}
        />
        <p class="run-problem" role="alert">
          {problem}
        </p>
        {tree.value === null && <p class="exchange-note">Nothing has run here yet.</p>}
        {tree.value && (
          <ul class="run-rows">
            <RunRow node={tree.value} onOpen={close} onCancel={cancel} />
          </ul>
        )}
      </div>
    </dialog>
  )
}

function titleOf(tree: RunNode | null | undefined): string {
  if (!tree) return 'Runs'
  const count = countRuns(tree)
  return count === 1 ? 'One run' : `${count} runs`
}

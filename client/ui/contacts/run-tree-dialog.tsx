// The runs of this chat's current or last run, and everything that works or worked for it.

import { computed, useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RunRecord } from '#protocol/http'
import { Icon } from '../shell/icon.tsx'
import { api } from '../state/client.ts'
import { openSessionId } from '../state/route.ts'
import { folded, lastRun, run } from '../state/session.ts'
import { held } from '../state/sessions.ts'
import { countRuns, readRunTree, type RunNode } from './run-tree.ts'
import { RunRow } from './run-row.tsx'

/** Changes whenever a run of the tree may have begun or ended, and not with every word. */
const moment = computed(() =>
  JSON.stringify([
    openSessionId.value,
    run.value.status === 'running' && run.value.runId,
    lastRun.value?.seq,
    folded.value.children.map(({ childRunId, status }) => [childRunId, status]),
    folded.value.exchanges.map(({ exchangeId }) => exchangeId),
    [...held.value.values()].filter(({ status }) => status === 'running').map(({ id }) => id),
  ]),
)

async function readTree(sessionId: string): Promise<RunNode | null> {
  const { runs } = await api.listRuns(sessionId, { limit: 1 })
  const [newest] = runs
  return newest === undefined ? null : readRunTree(newest, (runId) => api.childRuns(runId))
}

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Read again whenever a run of it may have begun or ended. `tree` undefined: not yet. */
function useRunTree(onLeft: () => void) {
  const tree = useSignal<RunNode | null | undefined>(undefined)
  const problem = useSignal('')
  const asked = useRef(0)
  const read = async (): Promise<void> => {
    const sessionId = openSessionId.peek()
    if (sessionId === null) return onLeft()
    const mine = ++asked.current
    try {
      const found = await readTree(sessionId)
      // A later answer is the truer one, whichever comes first.
      if (mine === asked.current) tree.value = found
    } catch (error) {
      problem.value = describe(error)
    }
  }
  useSignalEffect(() => {
    void moment.value
    void read()
  })
  const cancel = (record: RunRecord): void => {
    problem.value = ''
    api
      .cancelRun(record.run_id)
      .then(read)
      .catch((error: unknown) => (problem.value = describe(error)))
  }
  return { tree, problem, cancel }
}

export function RunTreeDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  const { tree, problem, cancel } = useRunTree(close)
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

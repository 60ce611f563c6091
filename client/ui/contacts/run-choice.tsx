import type { RunRecord } from '#protocol/http'
import { CHILD_WORDS } from './child-status.ts'
import type { Chosen } from './use-run-tree.ts'

const OLDER = 'older'

const timeOf = (at: number): string =>
  new Date(at).toLocaleString(undefined, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })

function describe({
  agent_id: agent,
  kind,
  outcome,
  started_at: at,
  tool_calls: calls,
}: RunRecord) {
  const tools = `${calls.length} ${calls.length === 1 ? 'tool' : 'tools'}`
  return [
    timeOf(at),
    kind === 'compact' ? 'summary' : agent,
    CHILD_WORDS[outcome ?? 'running'],
    ...(calls.length > 0 ? [tools] : []),
  ].join(' · ')
}

type Props = {
  runs: readonly RunRecord[]
  chosen: Chosen
  hasOlder: boolean
  onOlder: () => void
}

/** Which run of the chat is shown. Where there is but one, there is nothing to choose. */
export function RunChoice({ runs, chosen, hasOlder, onOlder }: Props) {
  const [newest] = runs
  if (newest === undefined || (runs.length < 2 && !hasOlder)) return null
  // One that was led to from an old answer may be further back than what was read.
  const isListed = chosen.value === null || runs.some(({ run_id: id }) => id === chosen.value)
  const handleChange = ({ currentTarget }: { currentTarget: HTMLSelectElement }): void => {
    const { value } = currentTarget
    if (value !== OLDER) {
      chosen.value = value === newest.run_id ? null : value
      return
    }
    currentTarget.value = chosen.peek() ?? newest.run_id
    onOlder()
  }
  return (
    <label class="run-choice">
      <span>Run</span>
      <select
        data-testid="run-choice"
        value={chosen.value ?? newest.run_id}
        onChange={handleChange}
      >
        {runs.map((run) => (
          <option key={run.run_id} value={run.run_id}>
            {describe(run)}
          </option>
        ))}
        {!isListed && <option value={chosen.value ?? ''}>An earlier run</option>}
        {hasOlder && <option value={OLDER}>Earlier runs…</option>}
      </select>
    </label>
  )
}

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { MissionView } from '#protocol/http'
import type { Target } from './mission-dialog.tsx'
import { missionsApi, toTarget } from './missions-api.ts'
import { describeRecord } from './words.ts'

/** What there was before: read when the dialog opens, and not part of the chat. */
export function MissionHistory({ target, agent }: { target: Target; agent: string }) {
  const records = useSignal<readonly MissionView[]>([])
  const problem = useSignal('')
  useEffect(() => {
    missionsApi.history(toTarget(target, agent)).then(
      (all) => (records.value = all.filter(({ ended_at: endedAt }) => endedAt !== null)),
      (error: Error) => (problem.value = `Could not load earlier missions: ${error.message}`),
    )
  }, [])
  if (problem.value !== '') return <p class="mission-hint">{problem}</p>
  if (records.value.length === 0) return null
  return (
    <details class="mission-history">
      <summary>Earlier missions ({records.value.length})</summary>
      <ul>
        {records.value.map((record) => (
          <li key={record.mission_id}>
            <span>{record.text}</span>
            <span class="mission-hint">{describeRecord(record)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

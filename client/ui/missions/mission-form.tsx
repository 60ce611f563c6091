import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { MISSION_MINUTES_MAX, MISSION_PROMPTS_MAX } from '#protocol/limits'
import type { NewMission } from '../../sdk/missions-api.ts'
import { folded, handle } from '../state/session.ts'
import type { Target } from './mission-dialog.tsx'
import {
  draftOfRecord,
  draftOfState,
  EMPTY_DRAFT,
  toNewMission,
  type MissionDraft,
} from './mission-draft.ts'
import { missionsApi, toTarget } from './missions-api.ts'

type Props = { target: Target; agent: string; onDone: () => void }

async function save(target: Target, agent: string, mission: NewMission): Promise<void> {
  if (target === 'agent') return missionsApi.set(toTarget(target, agent), mission)
  const { text, every_minutes: everyMinutes, max_prompts: maxPrompts } = mission
  await handle.peek()?.setMission({
    text,
    ...(everyMinutes === undefined ? {} : { everyMinutes }),
    ...(maxPrompts === undefined ? {} : { maxPrompts }),
  })
}

export function MissionForm({ target, agent, onDone }: Props) {
  const draft = useSignal<MissionDraft>(
    target === 'session' ? draftOfState(folded.peek().mission) : EMPTY_DRAFT,
  )
  const hasOne = useSignal(target === 'session' && folded.peek().mission !== null)
  const problem = useSignal('')
  const isBusy = useSignal(false)
  /** What stands is on its way: what is written before it comes would be lost. */
  const isLoading = useSignal(target === 'agent')
  useEffect(() => {
    if (target !== 'agent') return
    void during(async () => {
      const standing = await missionsApi.standing(toTarget(target, agent))
      draft.value = draftOfRecord(standing)
      hasOne.value = standing !== null
    }).finally(() => (isLoading.value = false))
  }, [])

  const during = async (work: () => Promise<unknown>, then?: () => void): Promise<void> => {
    if (isBusy.peek()) return
    isBusy.value = true
    problem.value = ''
    try {
      await work()
      then?.()
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
    } finally {
      isBusy.value = false
    }
  }
  const set = (changes: Partial<MissionDraft>): void => {
    draft.value = { ...draft.peek(), ...changes }
  }
  const handleSubmit = (event: Event): void => {
    event.preventDefault()
    const mission = toNewMission(draft.peek())
    if ('problem' in mission) problem.value = mission.problem
    else void during(() => save(target, agent, mission), onDone)
  }
  const clear = (): Promise<unknown> =>
    target === 'agent'
      ? missionsApi.clear(toTarget(target, agent))
      : (handle.peek()?.clearMission() ?? Promise.resolve())
  const now = draft.value
  return (
    <form class="mission-form" noValidate onSubmit={handleSubmit}>
      <label>
        <span>Goal</span>
        {/* Not by a script: a dialog that opens gives the focus to what asks for it. */}
        <textarea
          autofocus
          disabled={isLoading.value}
          rows={4}
          value={now.text}
          placeholder="Read the news of the day and keep notes.md current"
          onInput={(event) => set({ text: event.currentTarget.value })}
        />
      </label>
      {target === 'agent' && (
        <label class="mission-check">
          <input
            type="checkbox"
            checked={now.isScheduled}
            onChange={(event) => set({ isScheduled: event.currentTarget.checked })}
          />
          <span>Prompt it on a schedule, in a chat of its own</span>
        </label>
      )}
      {now.isScheduled && (
        <div class="mission-numbers">
          <NumberField
            label="Minutes between prompts"
            value={now.every}
            max={MISSION_MINUTES_MAX}
            onInput={(every) => set({ every })}
          />
          <NumberField
            label="Prompts at most"
            value={now.prompts}
            max={MISSION_PROMPTS_MAX}
            onInput={(prompts) => set({ prompts })}
          />
        </div>
      )}
      <p class="mission-problem" role="alert">
        {problem}
      </p>
      <footer class="mission-foot">
        {hasOne.value && (
          <button
            type="button"
            class="soft-button"
            disabled={isBusy.value}
            onClick={() => void during(clear, onDone)}
          >
            Clear mission
          </button>
        )}
        <button type="submit" class="primary-button" disabled={isBusy.value}>
          {hasOne.value ? 'Set anew' : 'Set mission'}
        </button>
      </footer>
    </form>
  )
}

type NumberProps = { label: string; value: string; max: number; onInput: (value: string) => void }

function NumberField({ label, value, max, onInput }: NumberProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        inputMode="numeric"
        min={1}
        max={max}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  )
}

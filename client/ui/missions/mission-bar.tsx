import type { MissionState } from '#protocol/state'
import { Icon } from '../shell/icon.tsx'
import { useFocusKeeper } from '../shell/use-focus-keeper.ts'
import { now } from '../state/clock.ts'
import { folded, handle } from '../state/session.ts'
import { showFailure } from '../state/toasts.ts'
import type { SessionHandle } from '../../sdk/types.ts'
import { MissionDialog } from './mission-dialog.tsx'
import { mountDialog } from '../shell/mount-dialog.ts'
import { describeStanding } from './words.ts'

function ask(what: string, command: (session: SessionHandle) => Promise<unknown>): void {
  const session = handle.peek()
  if (session !== null) command(session).catch(showFailure(what))
}

/** The mission of this chat, calmly: what it is, when it speaks next, and how to stop it. */
export function MissionBar() {
  const { mission } = folded.value
  return mission === null ? null : <Standing mission={mission} />
}

function Standing({ mission }: { mission: MissionState }) {
  const keeper = useFocusKeeper()
  const state = folded.value
  const { run, queue } = state
  const { status, text } = mission
  const words = describeStanding({ ...state, mission }, now.value)
  const canPrompt = status === 'active' && run.status === 'idle' && queue.items.length === 0
  return (
    <section
      class="mission"
      data-testid="mission"
      data-status={status}
      aria-label="Mission"
      {...keeper}
    >
      <Icon name="clock" />
      <button
        type="button"
        class="mission-text"
        title={text}
        onClick={(event) => mountDialog(MissionDialog, event.currentTarget)}
      >
        {text}
      </button>
      {/* No live region: it changes with the clock, and the whole is one look away. */}
      <span class="mission-state" title={words}>
        {words}
      </span>
      {canPrompt && (
        <Action
          icon="bolt"
          label="Prompt now"
          onClick={() => ask('Could not prompt', (session) => session.promptMission())}
        />
      )}
      {status === 'active' && (
        <Action
          icon="pause"
          label="Pause the mission"
          onClick={() => ask('Could not pause', (session) => session.pauseMission())}
        />
      )}
      {status === 'paused' && (
        <button
          type="button"
          class="text-button"
          onClick={() => ask('Could not resume', (session) => session.resumeMission())}
        >
          Resume
        </button>
      )}
      <Action
        icon="close"
        label="Clear the mission"
        onClick={() => ask('Could not clear', (session) => session.clearMission())}
      />
    </section>
  )
}

function Action({ icon, label, onClick }: { icon: string; label: string; onClick: () => void }) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}

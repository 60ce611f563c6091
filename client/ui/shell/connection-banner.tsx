import type { ComponentChildren } from 'preact'
import type { ConnectionState } from '../../sdk/types.ts'
import { openNewChat, openSessionId } from '../state/route.ts'
import { connection, handle } from '../state/session.ts'

const describe = (state: ConnectionState): string => {
  switch (state.status) {
    case 'live':
      return ''
    case 'connecting':
      return 'Connecting…'
    case 'waiting':
      return 'Connection lost. Reconnecting…'
    case 'offline':
      return 'You are offline. What you send waits here until you are back.'
    case 'gone':
      return 'This chat does not exist any more, or it is not yours.'
    case 'outdated':
      return 'Parley has been updated. Reload to go on; nothing is lost.'
  }
}

function actionOf(state: ConnectionState): ComponentChildren {
  if (state.status === 'waiting') {
    return <BannerButton label="Try now" onClick={() => handle.peek()?.wake()} />
  }
  if (state.status === 'outdated') {
    return <BannerButton label="Reload" onClick={() => location.reload()} />
  }
  if (state.status === 'gone') return <BannerButton label="New chat" onClick={openNewChat} />
  return null
}

function BannerButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" class="text-button" onClick={onClick}>
      {label}
    </button>
  )
}

/** Always there, so that a test can wait for it; seen only when something is wrong. */
export function ConnectionBanner() {
  if (openSessionId.value === null) return null
  const state = connection.value
  return (
    <div class="connection" data-testid="connection" data-status={state.status} role="status">
      <span>{describe(state)}</span>
      {actionOf(state)}
    </div>
  )
}

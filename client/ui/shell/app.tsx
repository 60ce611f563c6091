import { useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { titleOf } from '#protocol/summary'
import { Composer } from '../composer/composer.tsx'
import { DecisionSlot } from '../decisions/slot.tsx'
import { Queue } from '../queue/queue.tsx'
import { Sidebar } from '../sidebar/sidebar.tsx'
import { ChangesWidget } from '../state/files.ts'
import { inbox } from '../state/inbox.ts'
import { MissionBar } from '../state/missions.ts'
import { openSessionId } from '../state/route.ts'
import { changes, config, isRunning, mission } from '../state/session.ts'
import { followSessions } from '../state/sessions.ts'
import { handleShortcut } from '../state/shortcuts.ts'
import { isDrawerOpen, isNarrow } from '../state/viewport.ts'
import { Transcript } from '../transcript/transcript.tsx'
import { MeterSlot } from '../usage/meter-slot.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Header } from './header.tsx'
import { LiveRegion } from './live-region.tsx'
import { ToastStack } from './toast-stack.tsx'

export function App() {
  useEffect(followSessions, [])
  useEffect(() => {
    document.addEventListener('keydown', handleShortcut)
    return () => document.removeEventListener('keydown', handleShortcut)
  }, [])
  useSignalEffect(() => {
    const title = openSessionId.value === null ? 'New chat' : titleOf(config.value)
    const waits = inbox.value.length > 0 ? `(${inbox.value.length}) ` : ''
    document.title = `${waits}${isRunning.value ? '● ' : ''}${title} – Parley`
  })
  return (
    <>
      <a class="skip-link" href="#composer">
        Skip to the message field
      </a>
      <div class="app">
        <Sidebar />
        <main class="main" inert={isNarrow.value && isDrawerOpen.value}>
          <Header />
          <ConnectionBanner />
          <Transcript key={openSessionId.value ?? 'new'} />
          <div class="dock">
            <DecisionSlot />
            {changes.value.length > 0 && <ChangesWidget />}
            {mission.value && <MissionBar />}
            <Queue />
            <Composer />
            <MeterSlot />
          </div>
        </main>
      </div>
      <ToastStack />
      <LiveRegion />
    </>
  )
}

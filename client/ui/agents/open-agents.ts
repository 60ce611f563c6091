import { loadStyles } from '../load-styles.ts'
import { mountDialog } from '../shell/mount-dialog.ts'
import styles from '../styles/agents.css?url'
import { AgentsDialog } from './agents-dialog.tsx'
import { OverrideDialog } from './override-dialog.tsx'

let ready: Promise<void> | null = null

/** `back`: what had opened it. */
export async function openAgents(back: HTMLElement | null): Promise<void> {
  await (ready ??= loadStyles(styles))
  mountDialog(AgentsDialog, back)
}

/** The agent of the open chat, changed for that chat alone. */
export async function openOverride(back: HTMLElement | null): Promise<void> {
  await (ready ??= loadStyles(styles))
  mountDialog(OverrideDialog, back)
}

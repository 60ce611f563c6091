// Everything about missions that the first look at a chat does not need.

import { loadStyles } from '../load-styles.ts'
import { mountDialog } from '../shell/mount-dialog.ts'
import styles from '../styles/missions.css?url'
import { MissionBar } from './mission-bar.tsx'
import { MissionDialog } from './mission-dialog.tsx'

// Nothing of it is there before its styles: what stands in the page must not jump.
await loadStyles(styles)

export { MissionBar }

/** `back`: what had opened it. */
export function openMission(back: Element | null): void {
  mountDialog(MissionDialog, back)
}

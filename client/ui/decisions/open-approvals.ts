import { mountDialog } from '../shell/mount-dialog.ts'
import { ApprovalsDialog } from './approvals-dialog.tsx'
import { loadDecisionStyles } from './styles.ts'

/** `back`: what had opened it. */
export async function openApprovals(back: HTMLElement | null): Promise<void> {
  await loadDecisionStyles()
  mountDialog(ApprovalsDialog, back)
}

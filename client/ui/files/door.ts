// Everything about files that the first look at a chat does not need: what stands in the page where
// there are files, and what opens over it.

import type { Attachment } from '#protocol/events'
import { h } from 'preact'
import type { ChangeTarget } from '../../sdk/session-commands.ts'
import { mountDialog } from '../shell/mount-dialog.ts'
import { openSessionId } from '../state/route.ts'
import { loadStyles } from '../load-styles.ts'
import styleUrl from '../styles/files.css?url'
import { ChangesBlock } from '../transcript/changes-block.tsx'
import { AttachChips } from './attach-chips.tsx'
import { AttachDialog } from './attach-dialog.tsx'
import { AttachmentDialog } from './attachment-dialog.tsx'
import { attachFiles } from './attach.ts'
import { ChangesWidget } from './changes-widget.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DiffDialog } from './diff-dialog.tsx'
import { filesOf } from './files-api.ts'
import { SentFiles } from './sent-files.tsx'
import { WorkspaceDialog } from './workspace-dialog.tsx'
import { WorkspaceModel } from './workspace-model.ts'

type FileTarget = ChangeTarget & { path: string }

// Nothing of it is there before its styles: what stands in the page must not jump.
await loadStyles(styleUrl)

export { AttachChips, attachFiles, ChangesBlock, ChangesWidget, SentFiles }

export function openDiff(target: FileTarget): void {
  const sessionId = openSessionId.peek()
  if (sessionId === null) return
  const files = filesOf(sessionId)
  mountDialog((props) => h(DiffDialog, { ...props, files, target }))
}

export function openConflict(target: FileTarget): void {
  const sessionId = openSessionId.peek()
  if (sessionId === null) return
  const files = filesOf(sessionId)
  mountDialog((props) => h(ConflictDialog, { ...props, files, target }))
}

export function openWorkspace(): void {
  const sessionId = openSessionId.peek()
  if (sessionId === null) return
  const model = new WorkspaceModel(filesOf(sessionId))
  mountDialog((props) => h(WorkspaceDialog, { ...props, model }))
}

export function openAttach(): void {
  const sessionId = openSessionId.peek()
  const files = sessionId === null ? null : filesOf(sessionId)
  mountDialog((props) => h(AttachDialog, { ...props, files }))
}

export function openAttachment(attachment: Attachment): void {
  mountDialog((props) => h(AttachmentDialog, { ...props, attachment }))
}

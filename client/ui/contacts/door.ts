// Everything about other agents that the first look at a chat does not need.

import { h } from 'preact'
import { loadStyles } from '../load-styles.ts'
import { mountDialog } from '../shell/mount-dialog.ts'
import styleUrl from '../styles/contacts.css?url'
import { ChildTree } from './child-tree.tsx'
import { ExchangeBody } from './exchange-body.tsx'
import { RunTreeDialog } from './run-tree-dialog.tsx'

// Nothing of it is there before its styles: what stands in the page must not jump.
await loadStyles(styleUrl)

export { ChildTree, ExchangeBody }

/** null: the newest run. */
export const openRunTree = (runId: string | null): void =>
  mountDialog(({ onClose }) => h(RunTreeDialog, { runId, onClose }))

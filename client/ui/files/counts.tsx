import type { FileAction } from '#protocol/file-events'
import { ACTION_WORDS, splitPath, type Counts as Numbers } from './words.ts'

/** `+12 −3`; nothing where no line was counted, as of a picture. */
export function Counts({ additions, deletions }: Numbers) {
  if (additions === 0 && deletions === 0) return null
  return (
    <span class="counts">
      <span class="counts-add" aria-label={`${additions} lines added`}>
        +{additions}
      </span>{' '}
      <span class="counts-del" aria-label={`${deletions} lines removed`}>
        −{deletions}
      </span>
    </span>
  )
}

/** The name is what people look for; the folder gives way where there is no room. */
export function FilePath({ path, from }: { path: string; from?: string | undefined }) {
  const { folder, name } = splitPath(path)
  return (
    <span class="file-path" title={from === undefined ? path : `${from} → ${path}`}>
      {folder !== '' && <span class="file-folder">{folder}</span>}
      <span class="file-name">{name}</span>
    </span>
  )
}

export function ActionBadge({ action }: { action: FileAction }) {
  return (
    <span class="action-badge" data-action={action}>
      {ACTION_WORDS[action]}
    </span>
  )
}

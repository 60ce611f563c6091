import { useLayoutEffect, useRef } from 'preact/hooks'
import { TITLE_CHARS } from '#protocol/limits'
import { renameSession, renaming } from '../state/session-actions.ts'

type Props = { sessionId: string; title: string }

export function RenameField({ sessionId, title }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const isOver = useRef(false)
  useLayoutEffect(() => field.current?.select(), [])

  const end = (isSaved: boolean): void => {
    // Removing the field blurs it, which would save what Escape had dropped.
    if (isOver.current) return
    isOver.current = true
    const next = field.current?.value.trim() ?? ''
    renaming.value = null
    if (isSaved && next !== '' && next !== title) void renameSession(sessionId, next)
  }
  const handleKey = (event: KeyboardEvent): void => {
    event.stopPropagation()
    if (event.isComposing) return
    if (event.key === 'Enter') end(true)
    if (event.key === 'Escape') end(false)
  }
  return (
    <input
      ref={field}
      class="rename-field"
      aria-label="Title"
      maxLength={TITLE_CHARS}
      defaultValue={title}
      autoFocus
      onKeyDown={handleKey}
      onBlur={() => end(true)}
    />
  )
}

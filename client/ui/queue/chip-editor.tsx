import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { QueueItem } from '#protocol/events'
import { editQueued } from '../state/commands.ts'

type Props = { item: QueueItem; onEnd: () => void }

export function ChipEditor({ item, onEnd }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const text = useSignal(item.text)
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(item.text.length, item.text.length)
  }, [])

  const save = (): void => {
    const next = text.peek().trim()
    if (next !== '' && next !== item.text) editQueued(item.itemId, next)
    onEnd()
  }
  const handleKey = (event: KeyboardEvent): void => {
    // Escape leaves the editor; it must not stop the run as well.
    event.stopPropagation()
    if (event.isComposing) return
    if (event.key === 'Escape') onEnd()
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      save()
    }
  }
  return (
    <span class="chip-editor">
      <textarea
        ref={field}
        aria-label="Queued message"
        rows={2}
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={handleKey}
      />
      <button type="button" class="text-button" onClick={save}>
        Save
      </button>
      <button type="button" class="text-button" onClick={onEnd}>
        Cancel
      </button>
    </span>
  )
}

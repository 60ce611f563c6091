import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { PATH_BYTES } from '#protocol/limits'

type Props = {
  label: string
  value: string
  action: string
  onSubmit: (path: string) => Promise<void>
  onCancel: () => void
}

export function PathForm({ label, value, action, onSubmit, onCancel }: Props) {
  const path = useSignal(value)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const handleSubmit = (event: Event): void => {
    event.preventDefault()
    if (path.peek().trim() !== '') void onSubmit(path.peek().trim())
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    // The dialog around it would close.
    event.preventDefault()
    event.stopPropagation()
    onCancel()
  }
  return (
    <form class="path-form" onSubmit={handleSubmit} onKeyDown={handleKey}>
      <input
        ref={field}
        aria-label={label}
        placeholder="folder/name.txt"
        maxLength={PATH_BYTES}
        spellcheck={false}
        autocomplete="off"
        value={path}
        onInput={(event) => (path.value = event.currentTarget.value)}
      />
      <button type="submit" class="changes-button changes-keep">
        {action}
      </button>
    </form>
  )
}

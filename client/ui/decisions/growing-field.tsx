// A field for text of any number of lines, as high as its text.

type Props = {
  value: string
  label: string
  problem?: string | null
  onInput: (value: string) => void
  rows?: number
  placeholder?: string
}

const ROWS = 12

export function GrowingField(props: Props) {
  const { value, label, problem = null, onInput, rows = 1, placeholder = '' } = props
  const lines = value.split('\n').length
  return (
    <textarea
      class="code-field"
      rows={Math.min(ROWS, Math.max(rows, lines))}
      value={value}
      placeholder={placeholder}
      spellcheck={false}
      autocomplete="off"
      aria-label={label}
      aria-invalid={problem !== null}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  )
}

export function Problem({ message }: { message: string | null }) {
  return (
    <p class="card-problem" role="alert">
      {message}
    </p>
  )
}

import { useSignal } from '@preact/signals'
import { copyText } from '../copy-text.ts'
import { Icon } from './icon.tsx'

type Props = { text: string | (() => string); label: string; icon?: string }

const COPIED_MS = 1200

export function CopyButton({ text, label, icon = 'copy' }: Props) {
  const state = useSignal<'ready' | 'copied' | 'failed'>('ready')
  const handleClick = (): void => {
    void copyText(typeof text === 'string' ? text : text()).then((isCopied) => {
      state.value = isCopied ? 'copied' : 'failed'
      setTimeout(() => (state.value = 'ready'), COPIED_MS)
    })
  }
  const shown = { ready: icon, copied: 'check', failed: 'close' }[state.value]
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      onClick={handleClick}
    >
      <Icon name={shown} />
    </button>
  )
}

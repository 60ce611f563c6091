import { cycleTheme, theme } from '../state/theme.ts'
import { Icon } from './icon.tsx'

const ICONS = { auto: 'contrast', light: 'sun', dark: 'moon' } as const
const LABELS = { auto: 'as the system', light: 'light', dark: 'dark' } as const

export function ThemeToggle() {
  const label = `Colours: ${LABELS[theme.value]}. Change`
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={cycleTheme}>
      <Icon name={ICONS[theme.value]} />
    </button>
  )
}

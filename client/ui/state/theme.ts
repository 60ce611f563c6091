import { effect, signal } from '@preact/signals'
import { readStored, writeStored } from './storage.ts'

export type Theme = 'auto' | 'light' | 'dark'

const ORDER: readonly Theme[] = ['auto', 'light', 'dark']

const stored = readStored('theme')

export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'auto')

export function cycleTheme(): void {
  const next = ORDER[(ORDER.indexOf(theme.peek()) + 1) % ORDER.length]!
  theme.value = next
  writeStored('theme', next === 'auto' ? null : next)
}

effect(() => {
  if (theme.value === 'auto') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.value
})

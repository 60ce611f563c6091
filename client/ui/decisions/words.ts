// What cards say, in words: colour alone says nothing to everybody.

import type { Severity } from '#protocol/decision-events'

export const SEVERITY_WORDS: Record<Severity, string> = {
  low: 'Low risk',
  medium: 'Medium risk',
  high: 'High risk',
  critical: 'Critical',
}

/** As a sentence: reasons come as parts of one. */
export function toSentence(text: string): string {
  const trimmed = text.trim()
  const start = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?…]$/.test(start) || start === '' ? start : `${start}.`
}

export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

export const formatTime = (at: number): string =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

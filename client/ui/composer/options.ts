// What there is to pick from, as rows of a list; pure, so that every list behaves alike.

import type { Mode } from '#protocol/events'
import type { AgentSummary, ModelSummary } from '#protocol/http'
import { formatTokens } from '../format.ts'
import { isDemo, MODE_ICONS, MODE_NAMES, nameOfModel } from './names.ts'

export type Option = {
  id: string
  label: string
  detail: string
  colour?: string
  icon?: string
  badge?: string
}

/** More than a glance takes in: such a list can be searched. */
export const SEARCH_FROM = 9

const MODE_DETAILS: Record<Mode, string> = {
  agent: 'Acts, with every tool it has',
  ask: 'Reads only, changes nothing',
  plan: 'Proposes a plan and does not act on it',
}

export const MODES: readonly Mode[] = ['agent', 'ask', 'plan']

export const toModeOptions = (): Option[] =>
  MODES.map((mode) => ({
    id: mode,
    label: MODE_NAMES[mode],
    detail: MODE_DETAILS[mode],
    icon: MODE_ICONS[mode],
  }))

export const toAgentOptions = (agents: readonly AgentSummary[]): Option[] =>
  agents.map(({ name, description, colour, builtIn }) => ({
    id: name,
    label: name,
    detail: description,
    colour,
    ...(builtIn ? { badge: 'Built in' } : {}),
  }))

const PROVIDERS: Record<string, string> = {
  openai: 'OpenAI-compatible',
  anthropic: 'Anthropic',
  'workers-ai': 'Workers AI',
}

const DEMO_DETAIL =
  'Built into Parley. Needs no key and answers from a script, so that everything can be tried.'

const dollars = (amount: number): string =>
  `$${Number.isInteger(amount * 100) && !Number.isInteger(amount) ? amount.toFixed(2) : amount}`

function describeModel({ id, provider, window, tools, price }: ModelSummary): string {
  if (isDemo(id)) return DEMO_DETAIL
  const facts = [
    PROVIDERS[provider] ?? provider,
    formatTokens(window),
    tools ? 'tools' : 'no tools',
    price === null ? '' : `${dollars(price.input)} in, ${dollars(price.output)} out per million`,
  ]
  // A line breaks between facts, not inside one.
  return facts
    .filter((fact) => fact !== '')
    .map((fact) => fact.replaceAll(' ', '\u00A0'))
    .join(' · ')
}

export const toModelOptions = (models: readonly ModelSummary[], standard: string): Option[] =>
  models.map((model) => ({
    id: model.id,
    label: isDemo(model.id) ? nameOfModel(model.id) : model.id,
    detail: describeModel(model),
    ...(model.id === standard ? { badge: 'Default' } : {}),
  }))

/** Every word somewhere in the row. */
export function filterOptions(options: readonly Option[], query: string): readonly Option[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return options
  return options.filter(({ id, label, detail }) => {
    const text = `${id} ${label} ${detail}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Where a key leads from `index`; null: it is not one that moves. */
export function moveTo(key: string, index: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return count === 0 ? 0 : (index + 1) % count
    case 'ArrowUp':
      return count === 0 ? 0 : (index - 1 + count) % count
    case 'Home':
    case 'PageUp':
      return 0
    case 'End':
    case 'PageDown':
      return Math.max(0, count - 1)
    default:
      return null
  }
}

/**
 * The row that typed letters mean: the current one while it still fits, else the next; one letter
 * again and again goes through all that begin with it.
 */
export function findTyped(options: readonly Option[], index: number, typed: string): number {
  const letters = typed.toLowerCase()
  const first = letters.slice(0, 1)
  const isRepeated = letters === first.repeat(letters.length)
  const wanted = isRepeated ? first : letters
  const from = isRepeated ? index + 1 : index
  const order = options.map((_, i) => (from + i) % options.length)
  const starts = (text: string): boolean => text.toLowerCase().startsWith(wanted)
  return order.find((i) => starts(options[i]!.label) || starts(options[i]!.id)) ?? index
}

// What agents' settings are called on the page.

import type { Mode } from '#protocol/events'

export const MODE_NAMES: Record<Mode, string> = { agent: 'Agent', ask: 'Ask', plan: 'Plan' }
export const MODE_ICONS: Record<Mode, string> = { agent: 'bolt', ask: 'search', plan: 'list' }

export const isDemo = (model: string): boolean => /^demo\b/.test(model)

/**
 * A person should know what answers them, above all when it is not a real model. What stands before
 * a slash says who serves it: the list has it, the button has no room.
 */
export const nameOfModel = (model: string): string =>
  isDemo(model) ? model.replace(/^demo-?/, 'Demo model ').trim() : model.replace(/^.*\//, '')

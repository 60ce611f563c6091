// Agents and models as the server has them: read when somebody looks, again each time they do.

import { computed, effect, signal, untracked } from '@preact/signals'
import type { ModelSummary } from '#protocol/http'
import { agents, choice, colourOf } from './choice.ts'
import { api } from './client.ts'
import { noteUnauthorized } from './identity.ts'

export const models = signal<readonly ModelSummary[]>([])
export const defaultModel = signal('')

/** Why a list is not there; null: nothing went wrong. */
export const listProblem = signal<string | null>(null)

async function load(read: () => Promise<void>): Promise<void> {
  try {
    await read()
    listProblem.value = null
  } catch (error) {
    if (noteUnauthorized(error)) return
    listProblem.value = error instanceof Error ? error.message : String(error)
  }
}

export const loadAgents = (): Promise<void> =>
  load(async () => {
    agents.value = await api.listAgents()
  })

export const loadModels = (): Promise<void> =>
  load(async () => {
    const answer = await api.listModels()
    models.value = answer.models
    defaultModel.value = answer.default
  })

const agentName = computed(() => choice.value?.agent ?? null)

/** One that was made since, perhaps elsewhere, has a colour too. Asked once for each name. */
export function followAgent(): void {
  effect(() => {
    const name = agentName.value
    if (name !== null && untracked(() => colourOf(name)) === '') void loadAgents()
  })
}

// Which models a deployment has, from its environment alone.

import type { Model } from '../core/session/model.ts'
import { createDemoModel } from './demo.ts'
import { createOpenAiModel } from './openai.ts'

export type ModelEnv = {
  OPENAI_BASE_URL?: string | undefined
  OPENAI_API_KEY?: string | undefined
  /** One id, or several separated by commas; the first is the default. */
  OPENAI_MODEL?: string | undefined
}

export type Models = {
  ids: string[]
  defaultId: string
  get: (id: string) => Model | null
}

const DEMO_ID = 'demo'
const PUBLIC_BASE_URL = 'https://api.openai.com/v1'
/** Cheap, quick, calls tools, and streams for accounts of every kind. */
const DEFAULT_MODEL = 'gpt-4.1-mini'

export function resolveModels(env: ModelEnv): Models {
  const baseURL = env.OPENAI_BASE_URL?.trim() ?? ''
  const apiKey = env.OPENAI_API_KEY?.trim() ?? ''
  const configured = baseURL === '' && apiKey === '' ? [] : toIds(env.OPENAI_MODEL)
  const provider = {
    baseURL: baseURL === '' ? PUBLIC_BASE_URL : baseURL,
    apiKey: apiKey === '' ? undefined : apiKey,
  }
  const models = new Map<string, Model>()
  const create = (id: string): Model =>
    id === DEMO_ID ? createDemoModel() : createOpenAiModel({ ...provider, modelId: id })
  const ids = [...configured, DEMO_ID]
  return {
    ids,
    defaultId: ids[0]!,
    get(id) {
      if (!ids.includes(id)) return null
      const model = models.get(id) ?? create(id)
      models.set(id, model)
      return model
    },
  }
}

function toIds(list: string | undefined): string[] {
  const ids = (list ?? '').split(',').map((id) => id.trim())
  const named = [...new Set(ids)].filter((id) => id !== '' && id !== DEMO_ID)
  return named.length === 0 ? [DEFAULT_MODEL] : named
}

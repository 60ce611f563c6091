// Which models a deployment has, from its environment alone.

import type { ModelSummary } from '#protocol/http'
import type { Model } from '../core/session/model.ts'
import { createAnthropicModel } from './anthropic.ts'
import { createDemoModel, parseDemoRate } from './demo.ts'
import { describeModel, parseModelInfo } from './info.ts'
import { createOpenAiModel } from './openai.ts'
import { createWorkersAiModel, type WorkersAi } from './workers-ai.ts'

/** Lists are separated by commas; the first id of all is the default. */
export type ModelEnv = {
  OPENAI_BASE_URL?: string | undefined
  OPENAI_API_KEY?: string | undefined
  OPENAI_MODEL?: string | undefined
  ANTHROPIC_BASE_URL?: string | undefined
  ANTHROPIC_API_KEY?: string | undefined
  ANTHROPIC_MODEL?: string | undefined
  ANTHROPIC_THINKING_TOKENS?: string | undefined
  WORKERS_AI_MODEL?: string | undefined
  AI?: WorkersAi | undefined
  PARLEY_DEMO_RATE?: string | undefined
  PARLEY_FALLBACK?: string | undefined
  PARLEY_MODEL_INFO?: string | undefined
}

export type Models = {
  ids: readonly string[]
  defaultId: string
  get: (id: string) => Model | null
  list: () => ModelSummary[]
  /** What takes over when this one fails, in order. */
  fallbacksOf: (id: string) => readonly string[]
}

const DEMO_ID = 'demo'
const DEMO_BACKUP_ID = 'demo-backup'
const DEMO_IDS = [DEMO_ID, DEMO_BACKUP_ID] as const
const isDemo = (id: string): boolean => id === DEMO_ID || id === DEMO_BACKUP_ID

const OPENAI_URL = 'https://api.openai.com/v1'
const ANTHROPIC_URL = 'https://api.anthropic.com/v1'
/** Cheap, quick, calls tools, and streams for accounts of every kind. */
const DEFAULT_OPENAI_MODEL = 'gpt-4.1-mini'
const DEFAULT_ANTHROPIC_MODEL = 'claude-sonnet-4-5'

type Create = () => Model

export function resolveModels(env: ModelEnv): Models {
  // What is malformed is reported with the settings, and nobody is let in until it is repaired.
  const parsed = parseModelInfo(env.PARLEY_MODEL_INFO ?? '')
  const overrides = parsed.ok ? parsed.info : {}
  const describe = (id: string, provider: string): ModelSummary =>
    describeModel(id, provider, overrides)
  const rate = parseDemoRate(env.PARLEY_DEMO_RATE)
  const creators = new Map<string, Create>()
  const entries = [
    ...openAiModels(
      env,
      describe,
      (id) => Object.hasOwn(overrides, id) && overrides[id]!.window !== undefined,
    ),
    ...anthropicModels(env, describe),
    ...workersAiModels(env, describe),
    ...DEMO_IDS.map((id): [string, Create] => [
      id,
      () => createDemoModel({ id, ...(rate !== null && { rate }) }),
    ]),
  ]
  // An id that two providers have is the first one's.
  for (const [id, create] of entries) if (!creators.has(id)) creators.set(id, create)

  const ids = [...creators.keys()]
  const models = new Map<string, Model>()
  const get = (id: string): Model | null => {
    const model = models.get(id) ?? creators.get(id)?.()
    if (model === undefined) return null
    models.set(id, model)
    return model
  }
  // A script is no stand-in for a model: somebody waits for an answer.
  const fallbacks = toIds(env.PARLEY_FALLBACK).filter((id) => ids.includes(id))
  return {
    ids,
    defaultId: ids[0]!,
    get,
    list: () => ids.map((id) => get(id)!.info),
    fallbacksOf: (id) => {
      if (id === DEMO_ID) return [DEMO_BACKUP_ID]
      return isDemo(id) ? [] : fallbacks.filter((other) => other !== id)
    },
  }
}

type Describe = (id: string, provider: string) => ModelSummary

function openAiModels(
  env: ModelEnv,
  describe: Describe,
  hasOwnWindow: (id: string) => boolean,
): [string, Create][] {
  const baseURL = toSetting(env.OPENAI_BASE_URL)
  const apiKey = toSetting(env.OPENAI_API_KEY)
  if (baseURL === undefined && apiKey === undefined) return []
  const provider = { baseURL: baseURL ?? OPENAI_URL, apiKey }
  return toIdsOr(env.OPENAI_MODEL, DEFAULT_OPENAI_MODEL).map((modelId) => [
    modelId,
    () => {
      const info = describe(modelId, 'openai')
      return createOpenAiModel({
        ...provider,
        modelId,
        info,
        hasOwnWindow: hasOwnWindow(modelId),
      })
    },
  ])
}

function anthropicModels(env: ModelEnv, describe: Describe): [string, Create][] {
  const baseURL = toSetting(env.ANTHROPIC_BASE_URL)
  const apiKey = toSetting(env.ANTHROPIC_API_KEY)
  if (baseURL === undefined && apiKey === undefined) return []
  const provider = { baseURL: baseURL ?? ANTHROPIC_URL, apiKey }
  const tokens = Number(toSetting(env.ANTHROPIC_THINKING_TOKENS) ?? 'none')
  const thinkingTokens = Number.isInteger(tokens) && tokens >= 0 ? tokens : null
  return toIdsOr(env.ANTHROPIC_MODEL, DEFAULT_ANTHROPIC_MODEL).map((modelId) => [
    modelId,
    () => {
      const info = describe(modelId, 'anthropic')
      return createAnthropicModel({ ...provider, modelId, info, thinkingTokens })
    },
  ])
}

function workersAiModels({ AI: ai, ...env }: ModelEnv, describe: Describe): [string, Create][] {
  if (ai === undefined) return []
  return toIds(env.WORKERS_AI_MODEL).map((modelId) => [
    modelId,
    () => createWorkersAiModel({ ai, modelId, info: describe(modelId, 'workers-ai') }),
  ])
}

function toSetting(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? ''
  return trimmed === '' ? undefined : trimmed
}

/** The demo's names are its own: nothing else is called so. */
function toIds(list: string | undefined): string[] {
  const ids = (list ?? '').split(',').map((id) => id.trim())
  return [...new Set(ids)].filter((id) => id !== '' && !isDemo(id))
}

function toIdsOr(list: string | undefined, standard: string): string[] {
  const ids = toIds(list)
  return ids.length === 0 ? [standard] : ids
}

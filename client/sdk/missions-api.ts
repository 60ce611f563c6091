// Missions over HTTP: those of agents, and what there was before. Apart from the rest of the API: a
// page that shows no mission loads none of it. Everything that goes wrong is an ApiError.

import type { MissionView } from '#protocol/http'
import { parseObject, toError, type ApiOptions } from './api.ts'
import { ApiError } from './errors.ts'

export type MissionTarget = { session_id: string } | { agent_id: string }
export type NewMission = { text: string; every_minutes?: number; max_prompts?: number }

export class MissionsApi {
  readonly #origin: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof globalThis.fetch

  constructor({ origin, token, fetch }: ApiOptions) {
    this.#origin = origin.replace(/\/+$/, '')
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
  }

  async standing(target: MissionTarget): Promise<MissionView | null> {
    const path = `/api/mission?${toQuery(target)}`
    return (await this.#request<{ mission: MissionView | null }>('GET', path)).mission
  }

  /** Newest first. */
  async history(target: MissionTarget): Promise<MissionView[]> {
    const path = `/api/missions?${toQuery(target)}`
    return (await this.#request<{ missions: MissionView[] }>('GET', path)).missions
  }

  async set(target: MissionTarget, mission: NewMission): Promise<void> {
    await this.#request('POST', '/api/mission', { ...target, ...mission })
  }

  async clear(target: MissionTarget): Promise<void> {
    await this.#request('DELETE', `/api/mission?${toQuery(target)}`)
  }

  async #request<T>(method: string, path: string, body?: object): Promise<T> {
    const { response, text } = await this.#exchange(path, {
      method,
      headers: this.#headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const json = parseObject(text)
    if (!response.ok) throw toError(response, json)
    if (json === null) throw new ApiError('bad_response', 'not a JSON answer', response.status)
    return json as T
  }

  /** The whole answer: a connection that breaks in mid-body is a network failure too. */
  async #exchange(path: string, init: RequestInit): Promise<{ response: Response; text: string }> {
    try {
      const response = await this.#fetch(this.#origin + path, init)
      return { response, text: await response.text() }
    } catch (error) {
      throw new ApiError('network', error instanceof Error ? error.message : 'no answer')
    }
  }
}

const toQuery = (target: MissionTarget): string => new URLSearchParams(target).toString()

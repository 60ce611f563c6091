// The one place where the page meets the headless client.

import { createApi } from '../../sdk/api.ts'
import { ApiError } from '../../sdk/errors.ts'
import { createSessionClient } from '../../sdk/session-client.ts'
import type { SessionHandle } from '../../sdk/types.ts'

const { origin } = location

export const api = createApi({ origin })

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401

export const createHandle = (sessionId: string): SessionHandle =>
  createSessionClient({ origin, sessionId })

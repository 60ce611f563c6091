// Why a server did not answer, in words that hold nothing of what it was sent.

import { ANSWER_BYTES } from './bound-fetch.ts'
import { AnswerLost, AnswerTooLarge, client, SessionGone, type Sdk } from './connection.ts'
import { hideSecrets } from './hide-secrets.ts'
import type { McpServer } from './settings.ts'

const MESSAGE_CHARS = 1000

export type Failure = {
  /** What the server did, to follow its name in a sentence. */
  words: string
  /** It did not take the call as it was: what it had listed may be old. */
  isRefusal: boolean
}

export function toFailure(error: unknown, server: McpServer): Failure {
  const sdk = client.loaded
  if (sdk !== null && error instanceof sdk.ProtocolError) {
    const text = hideSecrets(error.message, server).slice(0, MESSAGE_CHARS)
    const refusals: number[] = [
      sdk.ProtocolErrorCode.InvalidParams,
      sdk.ProtocolErrorCode.MethodNotFound,
    ]
    return {
      words: `answered with an error: ${text}`,
      isRefusal: refusals.includes(error.code),
    }
  }
  return { words: describe(error, sdk), isRefusal: false }
}

/** Never the error's own words: those of a platform may quote the address, which may hold a key. */
function describe(error: unknown, sdk: Sdk | null): string {
  if (error instanceof SessionGone) return 'forgets its sessions'
  if (error instanceof AnswerLost) return 'closed the connection before it had answered'
  if (error instanceof AnswerTooLarge) return `sent more than ${ANSWER_BYTES / 1024 / 1024} MiB`
  if (sdk !== null && error instanceof sdk.SdkHttpError) return describeStatus(error.status)
  if (sdk !== null && error instanceof sdk.SdkError) return describeSdkError(error, sdk)
  if (!(error instanceof Error)) return 'could not be reached'
  if (error.name === 'TimeoutError') return 'did not answer in time'
  const isUnreadable = error instanceof SyntaxError || error.name.endsWith('ZodError')
  return isUnreadable ? NOT_MCP : 'could not be reached'
}

const NOT_MCP = 'sent what is not MCP'

function describeStatus(status: number | undefined): string {
  if (status === 401 || status === 403) return `refused the credentials (HTTP ${status})`
  if (status !== undefined && status >= 300 && status < 400) {
    return 'redirects to another address, which is not followed'
  }
  return `answered with HTTP ${status ?? 'and no status'}`
}

function describeSdkError(error: InstanceType<Sdk['SdkError']>, sdk: Sdk): string {
  switch (error.code) {
    case sdk.SdkErrorCode.RequestTimeout:
      return 'did not answer in time'
    case sdk.SdkErrorCode.ConnectionClosed:
      return 'closed the connection before it had answered'
    case sdk.SdkErrorCode.EraNegotiationFailed:
      return error.cause === undefined ? NOT_MCP : describe(error.cause, sdk)
    default:
      return NOT_MCP
  }
}

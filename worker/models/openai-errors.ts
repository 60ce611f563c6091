// A provider's failures as ModelError: told apart so that the loop can decide, and worded for
// people. No key ever gets into a message: providers like to quote the one they refuse.

import { ModelError, type ModelErrorCode } from '../core/session/model.ts'

export type Provider = {
  baseURL: string
  /** Local servers need none. */
  apiKey?: string | undefined
}

const MESSAGE_CHARS = 500
const KEY_LIKE = /\b(?:sk|pk|key|Bearer)[-_ ][\w*.-]{8,}/g

/** What the package throws and streams; every field is optional because anything can be thrown. */
type Failure = {
  name?: unknown
  statusCode?: unknown
  responseBody?: unknown
  message?: unknown
  type?: unknown
  code?: unknown
  value?: unknown
}

export const malformed = (): ModelError =>
  new ModelError('model_malformed', "The model provider's stream ended before it was finished.")

export function toModelError(error: unknown, provider: Provider): ModelError {
  if (error instanceof ModelError) return error
  const failure: Failure = typeof error === 'object' && error !== null ? error : {}
  const { statusCode } = failure
  if (typeof statusCode === 'number' && statusCode >= 400) {
    return fromStatus(statusCode, quote(providerMessage(failure.responseBody), provider))
  }
  if (failure.name === 'AI_InvalidResponseDataError') return malformed()
  const streamed = streamedError(failure)
  if (streamed !== null) return fromStream(streamed, provider)
  if (String(failure.name).startsWith('AI_') && failure.name !== 'AI_APICallError') {
    const text = 'The model provider sent something that is not a chat completion.'
    return new ModelError('model_malformed', text)
  }
  // The cause is not quoted: it may name the address with its credentials.
  const text = `The model provider at ${hostOf(provider.baseURL)} cannot be reached, or the connection broke.`
  return new ModelError('model_unavailable', text)
}

function fromStatus(status: number, message: string): ModelError {
  const told = message === '' ? '.' : `: ${message}`
  switch (codeOf(status)) {
    case 'model_unauthorized': {
      // Not even quoted with the key masked: the ends of a short key give it away.
      const reason = status === 401 ? '.' : told
      const text = `The model provider refused the API key (HTTP ${status})${reason}`
      return new ModelError('model_unauthorized', text)
    }
    case 'model_rate_limited':
      return new ModelError('model_rate_limited', `The model provider limits the rate${told}`)
    case 'model_bad_request': {
      const text = message || `The model provider refused the request (HTTP ${status}).`
      return new ModelError('model_bad_request', text)
    }
    default: {
      const text = `The model provider failed (HTTP ${status})${told}`
      return new ModelError('model_unavailable', text)
    }
  }
}

function codeOf(status: number): ModelErrorCode {
  if (status === 401 || status === 403) return 'model_unauthorized'
  if (status === 429) return 'model_rate_limited'
  return status >= 500 || status === 408 ? 'model_unavailable' : 'model_bad_request'
}

type StreamedError = { message: string; hint: string; status: number | null }

/** An `error` event in the middle of a stream: the package passes it on, or cannot read it. */
function streamedError({ name, message, type, code, value }: Failure): StreamedError | null {
  if (name === 'AI_TypeValidationError') {
    const text = providerMessage(JSON.stringify(value))
    return text === '' ? null : { message: text, hint: '', status: null }
  }
  if (name !== undefined || typeof message !== 'string') return null
  const status = Number(code)
  return {
    message,
    hint: `${String(type)} ${String(code)}`,
    status: status >= 400 && status < 600 ? status : null,
  }
}

function fromStream({ message, hint, status }: StreamedError, provider: Provider): ModelError {
  const text = quote(message, provider)
  if (status !== null) return fromStatus(status, text)
  if (/rate_limit|quota/.test(hint)) return fromStatus(429, text)
  if (/authentication|permission|api_key/.test(hint)) return fromStatus(403, text)
  if (/invalid_request|context_length|not_found/.test(hint)) return fromStatus(400, text)
  return new ModelError('model_unavailable', `The model provider failed: ${text}`)
}

/** `{error: {message}}`, `{error}`, `{message}` and `{detail}` are all in use. */
function providerMessage(body: unknown): string {
  if (typeof body !== 'string') return ''
  try {
    const json = JSON.parse(body) as { error?: unknown; message?: unknown; detail?: unknown } | null
    const nested = (json?.error as { message?: unknown } | null | undefined)?.message
    const found = [nested, json?.error, json?.message, json?.detail]
    return found.find((text) => typeof text === 'string') ?? ''
  } catch {
    // A proxy's HTML page says less than its status does.
    return body.trimStart().startsWith('<') ? '' : body
  }
}

function quote(text: string, { apiKey }: Provider): string {
  const safe = apiKey ? text.replaceAll(apiKey, '[key]') : text
  return safe.replaceAll(KEY_LIKE, '[key]').trim().slice(0, MESSAGE_CHARS).toWellFormed()
}

function hostOf(baseURL: string): string {
  return URL.canParse(baseURL) ? new URL(baseURL).host : 'the configured address'
}

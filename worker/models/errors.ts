// A provider's failures as ModelError: told apart so that the loop can decide, and worded for
// people, each with what can be done about it. No key ever gets into a message: providers like to
// quote the one they refuse.

import { ModelError, type ModelErrorCode } from '../core/session/model.ts'
import { readRetryAfter } from './retry-after.ts'

export type Provider = {
  baseURL: string
  /** Local servers need none. */
  apiKey?: string | undefined
}

const MESSAGE_CHARS = 500
/** Shorter ones are words that a local server takes for a key, and are said for other reasons. */
const LEAST_KEY_CHARS = 8
const KEY_LIKE = /\b(?:sk|pk|key|Bearer)[-_ ][\w*.-]{8,}/g

/** What the packages throw and stream; every field is optional: anything can be thrown. */
type Failure = {
  name?: unknown
  statusCode?: unknown
  responseBody?: unknown
  responseHeaders?: unknown
  message?: unknown
  type?: unknown
  code?: unknown
  value?: unknown
  data?: unknown
  cause?: unknown
}

/** A failure in one shape, wherever in the exchange it happened. */
type Told = { status: number | null; hint: string; message: string; headers: unknown }

export const malformed = (): ModelError =>
  new ModelError(
    'model_malformed',
    "The model provider's stream ended before it was finished. Try again.",
  )

export function toModelError(error: unknown, provider: Provider): ModelError {
  if (error instanceof ModelError) return error
  const failure: Failure = typeof error === 'object' && error !== null ? error : {}
  // What we fail a body with ourselves, as the packages hand it on.
  if (failure.cause instanceof ModelError) return failure.cause
  if (failure.name === 'AI_InvalidResponseDataError') return malformed()
  const told = readFailure(failure)
  if (told !== null) return fromTold(told, provider)
  if (isUnreadable(failure)) {
    const text = 'The model provider sent something that is not a chat completion.'
    return new ModelError('model_malformed', `${text} Check that its address is the right one.`)
  }
  // The cause is not quoted: it may name the address with its credentials.
  const text = `The model provider at ${hostOf(provider.baseURL)} cannot be reached, or the connection broke.`
  return new ModelError('model_unavailable', `${text} Try again in a moment.`)
}

/** A stream that finishes by saying that it failed. */
export function toFinishError(reason: string): ModelError | null {
  if (reason === 'error' || reason === 'abort') {
    return fromTold({ status: 502, hint: '', message: '', headers: null }, { baseURL: '' })
  }
  if (reason !== 'insufficient_system_resource') return null
  return fromTold({ status: 503, hint: '', message: '', headers: null }, { baseURL: '' })
}

function isUnreadable({ name, message }: Failure): boolean {
  // What the Anthropic package throws when the first event is not one of Anthropic's.
  if (String(message).startsWith('Expected a normalized Anthropic')) return true
  return String(name).startsWith('AI_') && name !== 'AI_APICallError'
}

function readFailure(failure: Failure): Told | null {
  const { name, message, statusCode, responseBody, responseHeaders: headers } = failure
  const isStatus = typeof statusCode === 'number' && statusCode >= 400
  // An error of Anthropic's inside a stream has a status too, but no body of its own.
  if (isStatus && responseBody !== undefined) {
    return { status: statusCode, ...readBody(responseBody), headers }
  }
  if (name === 'AI_TypeValidationError') {
    const told = readBody(JSON.stringify(failure.value))
    return told.message === '' ? null : { status: null, ...told, headers }
  }
  if (isStatus && name === 'AI_APICallError') {
    return { status: statusCode, ...readBody(JSON.stringify(failure.data)), headers }
  }
  if (name !== undefined || typeof message !== 'string') return null
  const status = isStatus ? statusCode : Number(failure.code)
  const hint = `${String(failure.type)} ${String(failure.code)}`
  return { status: status >= 400 && status < 600 ? status : null, hint, message, headers }
}

/** `{error: {message}}`, `{error}`, `{message}`, `{detail}` and lists of them are all in use. */
function readBody(body: unknown): { message: string; hint: string } {
  if (typeof body !== 'string') return { message: '', hint: '' }
  try {
    const parsed = JSON.parse(body) as unknown
    const json = (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown> | null
    const nested = json?.error as Record<string, unknown> | null | undefined
    const found = [rawMessage(nested), nested?.message, json?.error, json?.message, json?.detail]
    const message = found.find((text) => typeof text === 'string') ?? ''
    const words = [nested?.type, nested?.code, nested?.status, json?.type, json?.code]
    const hint = words.filter((word) => typeof word === 'string').join(' ')
    return { message, hint }
  } catch {
    // A proxy's HTML page says less than its status does.
    return { message: body.trimStart().startsWith('<') ? '' : body, hint: '' }
  }
}

/** OpenRouter says only "Provider returned error", and what it was one level further down. */
function rawMessage(error: Record<string, unknown> | null | undefined): string | undefined {
  const raw = (error?.metadata as { raw?: unknown } | null | undefined)?.raw
  if (typeof raw !== 'string' || raw === '') return undefined
  return readBody(raw).message || undefined
}

// Providers say the same things in many words; most do not give them a code.
const OVERFLOW =
  /context[_ ](?:length|window|size)|maximum context|prompt is too long|too many tokens|input (?:is )?too long|exceeds? (?:the )?(?:available |model'?s? |maximum )?(?:context|number of tokens)|input length (?:and|exceeds)|request_too_large|token limit|maximum (?:input|prompt) length|prompt too long|`inputs` tokens \+ `max_new_tokens`/i
/** Too long for what may be asked in a minute: no minute will do. */
const TOO_LARGE = /request too large/i
const NO_TOOLS =
  /does not support (?:tools|function|tool)|support tool use|tools? (?:is|are) not supported|tool[_ ]choice.*(?:requires|not supported)|--enable-auto-tool-choice|function calling is not (?:supported|enabled)/i
const FILTER =
  /content_filter|content filter|content management policy|content_policy|ResponsibleAIPolicy|safety (?:system|policy)|flagged|moderation/i
const BILLING =
  /insufficient_quota|billing|credit balance|insufficient (?:balance|credits|funds|quota)|requires more credits|free allocation|payment required|exceeded your current quota|have any credits/i
/** The account's limit whatever else is said; the others' words may also mean the minute's. */
const NO_QUOTA = /insufficient_quota/
const BAD_KEY =
  /api[_ -]?key (?:is )?(?:not valid|invalid|expired)|(?:incorrect|invalid) (?:x-)?api[_ -]?key|API_KEY_INVALID/i
/** Groq's word for a call that its parser did not understand. */
const BAD_CALL = /tool_use_failed/
const NOT_FOUND =
  /model_not_found|no such model|model .{0,120}(?:not found|does not exist|not exist)|not a valid model|unknown model|invalid model|no endpoints found for|decommissioned/i
const OVERLOAD = /overloaded|capacity|temporarily unavailable|engine is currently|server is busy/i

function fromTold(told: Told, provider: Provider): ModelError {
  const { status, hint, message, headers } = told
  const code = codeOf(told)
  const quoted = quote(message, provider)
  const canWait = code === 'model_rate_limited' || code === 'model_overloaded'
  const isRetried = canWait || code === 'model_unavailable'
  const wait = isRetried ? readRetryAfter(headers, message, status === 429) : null
  // With a time to come back it is a limit, whatever the words: Gemini says "billing" to both.
  if (code === 'model_rate_limited' && wait === null && BILLING.test(`${hint} ${message}`)) {
    return new ModelError('model_unpaid', describe('model_unpaid', status, quoted))
  }
  // Not even quoted with the key masked: the ends of a short key give it away.
  const said = code === 'model_unauthorized' && status !== 403 ? '' : quoted
  return new ModelError(code, describe(code, status, said), wait)
}

function codeOf({ status, hint, message }: Told): ModelErrorCode {
  const words = `${hint} ${message}`
  if (status === 402 || NO_QUOTA.test(hint)) return 'model_unpaid'
  if (status === 429 || (status === null && /rate_limit|quota|RESOURCE_EXHAUSTED/i.test(hint))) {
    if (TOO_LARGE.test(message)) return 'model_context_overflow'
    // Workers AI's and OpenRouter's way of saying that they have no machine left.
    return /out of capacity|no more data centers|Capacity temporarily/i.test(message)
      ? 'model_overloaded'
      : 'model_rate_limited'
  }
  // Before the words of others: what a server says about a key may name anything.
  if (status === 401) return 'model_unauthorized'
  if (status === 413) return 'model_context_overflow'
  const isRefused = status !== null && status >= 400 && status < 500
  const told = isRefused || status === null || status === 500 ? codeOfWords(words) : null
  if (told !== null) return told
  if (isRefused && BAD_KEY.test(words)) return 'model_unauthorized'
  if ((status === 400 || status === 403) && BILLING.test(words)) return 'model_unpaid'
  if (status !== null) return codeOfStatus(status)
  if (/authentication|permission|api_key/i.test(hint)) return 'model_unauthorized'
  if (OVERLOAD.test(words)) return 'model_overloaded'
  if (/not_found/i.test(hint)) return 'model_not_found'
  return /invalid_request|bad_request/i.test(hint) ? 'model_bad_request' : 'model_unavailable'
}

/** What is refused for a reason that a status does not tell. */
function codeOfWords(words: string): ModelErrorCode | null {
  if (BAD_CALL.test(words)) return 'model_malformed'
  if (NO_TOOLS.test(words)) return 'model_no_tools'
  if (OVERFLOW.test(words)) return 'model_context_overflow'
  if (FILTER.test(words)) return 'model_content_filter'
  return NOT_FOUND.test(words) ? 'model_not_found' : null
}

function codeOfStatus(status: number): ModelErrorCode {
  if (status === 403) return 'model_unauthorized'
  if (status === 404) return 'model_not_found'
  if (status === 503 || status === 529) return 'model_overloaded'
  return status >= 500 || status === 408 ? 'model_unavailable' : 'model_bad_request'
}

function describe(code: ModelErrorCode, status: number | null, said: string): string {
  const http = status === null ? '' : ` (HTTP ${status})`
  switch (code) {
    case 'model_unauthorized':
      return `${toSentence(`The model provider refused the API key${http}`, said)} Check the key and what it may do.`
    case 'model_rate_limited':
      return `${toSentence('The model provider limits the rate', said)} Wait a moment, or choose another model.`
    case 'model_unpaid':
      return `${toSentence('The model provider wants to be paid', said)} Check the account's billing, or choose another model.`
    case 'model_malformed':
      return `${toSentence(`The model wrote a call that its provider cannot read${http}`, said)} Try again, or choose another model.`
    case 'model_overloaded':
      return `${toSentence(`The model provider is overloaded${http}`, said)} Try again in a moment.`
    case 'model_not_found':
      return `${toSentence(`The model provider does not have this model${http}`, said)} Choose another model, or check its name and the address.`
    case 'model_context_overflow':
      return `${toSentence('The conversation is too long for this model', said)} Shorten it, or choose a model with a larger window.`
    case 'model_content_filter':
      return `${toSentence("The model provider's content filter refused this", said)} Put it in other words.`
    case 'model_no_tools':
      return `${toSentence('This model cannot use tools', said)} Choose another model, or go on without tools.`
    case 'model_bad_request':
      return `${toSentence(`The model provider refused the request${http}`, said)} Change the message, or choose another model.`
    default:
      return `${toSentence(`The model provider failed${http}`, said)} Try again in a moment.`
  }
}

function toSentence(text: string, said: string): string {
  if (said === '') return `${text}.`
  return /[.!?…]$/.test(said) ? `${text}: ${said}` : `${text}: ${said}.`
}

function quote(text: string, { apiKey }: Provider): string {
  const isSecret = apiKey !== undefined && apiKey.length >= LEAST_KEY_CHARS
  const safe = isSecret ? text.replaceAll(apiKey, '[key]') : text
  return safe.replaceAll(KEY_LIKE, '[key]').trim().slice(0, MESSAGE_CHARS).toWellFormed()
}

function hostOf(baseURL: string): string {
  return URL.canParse(baseURL) ? new URL(baseURL).host : 'the configured address'
}

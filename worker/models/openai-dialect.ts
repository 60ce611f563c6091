// Where servers that speak chat completions differ in what they take back, and what they insist on.

import { ModelError } from '../core/session/model.ts'
import type { Dialect } from './prompt.ts'
import { toCallId, toToolName } from './wire-names.ts'

const NAME_CHARS = 64
const OPENAI_ID = /^[a-zA-Z0-9_-]{1,40}$/
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/
/** Also where others serve them: their chat templates refuse other ids. */
const MISTRAL = /mistral|mixtral|ministral|magistral|codestral|devstral|pixtral/i

/** Where every answer must come back with the thought before it, if only an empty one. */
const THOUGHTFUL = /^(?:deepseek-(?:chat|reasoner|v\d)|kimi-)/i
const THOUGHTFUL_HOST = /\b(?:deepseek\.com|moonshot\.(?:ai|cn)|kimi\.com)\b/

/** From 3 on, Gemini refuses the calls of a turn whose first one is not signed. */
const SIGNING_GEMINI = /^(?:models\/|google\/)?gemini-(?![12]\b)/i
/** Google's own word for calls that Gemini did not make, or whose signature is lost. */
const NO_SIGNATURE = 'skip_thought_signature_validator'

export type Address = { baseURL: string; modelId: string }

export const wantsThoughts = ({ baseURL, modelId }: Address): boolean =>
  THOUGHTFUL.test(modelId) || THOUGHTFUL_HOST.test(baseURL)

/** What a server says that has not got thoughts it wants, or got some that it does not know. */
export function isAboutThoughts(error: unknown, areSent: boolean): boolean {
  if (!(error instanceof ModelError) || error.code !== 'model_bad_request') return false
  if (!error.message.includes('reasoning_content')) return false
  const isUnknown =
    /not supported|unsupported|not permitted|forbidden|unexpected|unknown|unrecognized/i
  return areSent === isUnknown.test(error.message)
}

export function toDialect({ baseURL, modelId }: Address, sendsThoughts: boolean): Dialect {
  const isMistral = MISTRAL.test(modelId) || /\bmistral\.ai\b/.test(baseURL)
  const isSigning = SIGNING_GEMINI.test(modelId)
  return {
    toThought: ({ text, model }) =>
      sendsThoughts && model === modelId && text !== '' ? { type: 'reasoning', text } : null,
    ...(sendsThoughts && { thoughtless: { openaiCompatible: { reasoning_content: '' } } }),
    toCallId: (id) => (isMistral ? toCallId(id, MISTRAL_ID) : toCallId(id, OPENAI_ID, 'call_')),
    toToolName: (name) => toToolName(name, NAME_CHARS),
    toProof: ({ proof }, isFirst) => {
      if (proof?.model === modelId) return { google: { thoughtSignature: proof.signature } }
      // Calls beside the first one have none even when Gemini made them.
      return isSigning && isFirst ? { google: { thoughtSignature: NO_SIGNATURE } } : undefined
    },
  }
}

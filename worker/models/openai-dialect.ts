// Where servers that speak chat completions differ in what they take back.

import type { Dialect } from './prompt.ts'
import { toCallId, toToolName } from './wire-names.ts'

const NAME_CHARS = 64
const OPENAI_ID = /^[a-zA-Z0-9_-]{1,40}$/
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/
/** Also where others serve them: their chat templates refuse other ids. */
const MISTRAL = /mistral|mixtral|ministral|magistral|codestral|devstral|pixtral/i

export type Address = { baseURL: string; modelId: string }

export function toDialect({ baseURL, modelId }: Address): Dialect {
  const isMistral = MISTRAL.test(modelId) || /\bmistral\.ai\b/.test(baseURL)
  return {
    toThought: () => null,
    toCallId: (id) => (isMistral ? toCallId(id, MISTRAL_ID) : toCallId(id, OPENAI_ID, 'call_')),
    toToolName: (name) => toToolName(name, NAME_CHARS),
  }
}

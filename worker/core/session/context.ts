// How much of a model's window a request takes. Providers tell after each step; what has been
// added since is counted here. Only the addition: a count of the whole, corrected by a factor,
// would multiply what a provider adds for tools and system with every word that follows.

import type { ContextState } from '#protocol/state'
import type { AssistantPart, ModelMessage, ModelRequest } from './model.ts'

const MESSAGE_OVERHEAD_TOKENS = 4
/** A provider that counts wildly differently is not believed beyond this. */
const CORRECTION = { min: 0.25, max: 4 }
/** …but it may put this much around a short request: words of its own about tools and safety. */
const PREAMBLE_TOKENS = 4096

/** Tokens a character, between what the tokenizers of today make of it. Symbols and digits are
 * what code and JSON are dearer for than prose. */
const LETTER = 0.21
const CAPITAL = 0.35
const DIGIT = 0.4
const SYMBOL = 0.45
const IDEOGRAPH = 1
/** Half of an emoji. */
const SURROGATE = 1.25
const OTHER = 0.5

const ASCII = Float64Array.from({ length: 0x80 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/[a-z ]/.test(char)) return LETTER
  if (/[A-Z]/.test(char)) return CAPITAL
  return /\d/.test(char) ? DIGIT : SYMBOL
})

function weigh(code: number): number {
  if (code < 0x80) return ASCII[code]!
  if (code < 0x2e80) return OTHER
  if (code < 0xd800) return IDEOGRAPH
  if (code < 0xe000) return SURROGATE
  return code < 0xff00 ? OTHER : IDEOGRAPH
}

const counted = new WeakMap<ModelMessage, number>()

/** A sum over characters, so that a text counts the same in pieces and as a whole. */
export function estimateText(text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length; at++) tokens += weigh(text.charCodeAt(at))
  return tokens
}

/** How many characters from one end take that many tokens: an end may be dearer than the rest. */
export function countChars(text: string, tokens: number, step: 1 | -1): number {
  let chars = 0
  for (let left = tokens; chars < text.length; chars++) {
    left -= estimateText(text.at(step === 1 ? chars : -1 - chars)!)
    if (left < 0) break
  }
  return chars
}

/** A message never changes once it is in a request: counted once. */
export function estimateMessage(message: ModelMessage): number {
  let tokens = counted.get(message)
  if (tokens === undefined) {
    tokens = MESSAGE_OVERHEAD_TOKENS + countMessage(message)
    counted.set(message, tokens)
  }
  return tokens
}

function countMessage(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return estimateText(message.text)
    case 'tool':
      return message.results.reduce(
        (sum, { text }) => sum + MESSAGE_OVERHEAD_TOKENS + estimateText(text),
        0,
      )
    case 'assistant':
      return message.parts.reduce((sum, part) => sum + countPart(part), 0)
  }
}

function countPart(part: AssistantPart): number {
  if (part.type === 'tool_call') return estimateText(part.arguments) + 8
  // Few providers are sent it back; those report what it took.
  if (part.type === 'thinking' && part.signature === null) return 0
  return estimateText(part.text)
}

export function estimateRequest({ system, messages, tools }: ModelRequest): number {
  let tokens = estimateText(system) + (tools.length === 0 ? 0 : estimateText(JSON.stringify(tools)))
  for (const message of messages) tokens += estimateMessage(message)
  return Math.ceil(tokens)
}

export type Reported = Pick<ContextState, 'tokens' | 'estimate'>

/** What a request that we count as `estimate` takes, by the last report. */
export function toTokens(reported: Reported | null, estimate: number): number {
  if (reported === null || reported.estimate <= 0) return Math.ceil(estimate)
  const correction = correctionOf(reported)
  const added = estimate - reported.estimate
  // Shorter than what was reported: parts of it are gone, and nobody knows what those had taken.
  if (added < 0) return Math.ceil(estimate * correction)
  const around = reported.tokens - reported.estimate * correction
  const preamble = Math.min(PREAMBLE_TOKENS, Math.max(0, around))
  return Math.ceil(reported.estimate * correction + preamble + added)
}

/** The other way round: what of our own count takes that many tokens, by the last report. */
export function toEstimate(reported: Reported | null, tokens: number): number {
  if (reported === null || reported.estimate <= 0) return tokens
  const more = tokens - toTokens(reported, reported.estimate)
  return more >= 0 ? reported.estimate + more : tokens / correctionOf(reported)
}

/** How many tokens of the provider's one of ours was, of all that was last reported. */
export function correctionOf(reported: Reported | null): number {
  if (reported === null || reported.estimate <= 0 || reported.tokens <= 0) return 1
  return Math.min(CORRECTION.max, Math.max(CORRECTION.min, reported.tokens / reported.estimate))
}

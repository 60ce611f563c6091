// What a scene of the demo model is made of. A scene is chosen by its keywords and played in
// rounds: each round after the first follows the results of the calls before it.

import type { ModelErrorCode } from '../core/session/model.ts'

export const INTRODUCTION =
  "I'm Parley's built-in demo model, not a real language model: I look for keywords and follow " +
  'scripts, so that everything here can be tried without an API key.\n\n'

export type DemoModelId = 'demo' | 'demo-backup'

/** `slow`: time to do something meanwhile. `fast`: more text than anybody wants to wait for. */
export type Pace = 'slow' | 'fast'

export type DemoStep =
  | { type: 'thinking'; text: string }
  | { type: 'text'; text: string; pace?: Pace }
  /** `raw`: the arguments as they are sent, if they are not to be valid JSON. */
  | { type: 'call'; toolName: string; input: Record<string, unknown>; raw?: string }
  /** The provider fails here; nothing after it is played. */
  | { type: 'fail'; code: ModelErrorCode; message: string; retryAfterMs?: number }
  /** The provider sends nothing more, until it is aborted. */
  | { type: 'hang' }

export type DemoResult = {
  toolName: string
  input: Record<string, unknown>
  ok: boolean
  text: string
}

/** `callback`: an agent that was asked before, and was not waited for, answers. */
export type Sender =
  | { kind: 'person' }
  | { kind: 'agent'; name: string }
  | { kind: 'callback'; name: string; ok: boolean }

export type Heard = { sender: Sender; text: string }

export type Situation = {
  /** What was asked for, or answered. */
  asked: string
  /** By whom. */
  sender: Sender
  /** How many times tools have answered since the question. */
  round: number
  /** Results of the latest calls. */
  results: readonly DemoResult[]
  /** Messages that arrived while those calls ran. */
  steered: readonly Heard[]
  /** What was already said in this round, by an attempt that broke off. */
  said: string
  /** Which of the demo models is asked. */
  model: DemoModelId
  /** Tools are offered with this request. */
  hasTools: boolean
  /** Part of the conversation is told as a summary. */
  hasSummary: boolean
  /** Tokens left in the window after the question. */
  room: number
}

export type Round = (situation: Situation) => readonly DemoStep[]

export type Scene = {
  /** Any of these words or phrases chooses the scene; the first scene with a match wins. */
  keywords: readonly string[]
  /** Chooses the scene before any keyword does. */
  matches?: (asked: string) => boolean
  /** One line in the list of what can be asked for. */
  offer: string
  rounds: readonly Round[]
  /** Every round after those. */
  onward?: Round
  /** Words at whose end another model takes over, and says the last of them again. */
  seam?: string
}

/** The window of both demo models: small, so that its meter moves. */
export const WINDOW_TOKENS = 8000
export const CHARS_PER_TOKEN = 4

export const text = (content: string, pace?: Pace): DemoStep => ({
  type: 'text',
  text: content,
  ...(pace !== undefined && { pace }),
})

export const thinking = (content: string): DemoStep => ({ type: 'thinking', text: content })

export const call = (toolName: string, input: Record<string, unknown>, raw?: string): DemoStep => ({
  type: 'call',
  toolName,
  input,
  ...(raw !== undefined && { raw }),
})

export const fail = (code: ModelErrorCode, message: string, retryAfterMs?: number): DemoStep => ({
  type: 'fail',
  code,
  message,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

/** One result as a person would tell it, whatever became of the call. */
export function describeResult({ toolName, ok, text: result }: DemoResult): string {
  if (ok) return result
  if (result.startsWith('tool_interrupted')) return `*\`${toolName}\` was interrupted*`
  return `*\`${toolName}\` failed:* ${result.split('\n', 1)[0]}`
}

export function shorten(message: string, length = 200): string {
  const line = message.trim().replaceAll(/\s+/g, ' ')
  return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`.toWellFormed()
}

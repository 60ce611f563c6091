// What the demo model reads in a request: the question, how far its answer has come, and what
// happened since. All of it follows from the messages, so any of its instances can go on.

import type { ModelMessage, ModelRequest } from '../core/session/model.ts'
import { isSummary, readHeard, readSummary, stripMessage, stripNotes } from './demo-notes.ts'
import { toSaid } from './demo-resume.ts'
import {
  CHARS_PER_TOKEN,
  WINDOW_TOKENS,
  type DemoModelId,
  type DemoResult,
  type Heard,
  type Situation,
} from './demo-scene.ts'

export type Reading = Situation & {
  /** No model has said anything before this question. */
  isFirst: boolean
}

export function readRequest(request: ModelRequest, model: DemoModelId): Reading {
  const { messages } = request
  const start = findQuestion(messages)
  const before = messages.slice(0, start + 1)
  const isKnown = before.some(
    (message) =>
      message.role === 'assistant' || (message.role === 'user' && isSummary(message.text)),
  )
  const used = toTokens(countChars({ ...request, messages: before }))
  const { sender, text: asked } = readHeard(readQuestion(messages[start]))
  return {
    ...readProgress(messages.slice(start + 1)),
    asked,
    sender,
    isFirst: !isKnown,
    model,
    hasTools: request.tools.length > 0,
    hasSummary: messages.some((message) => message.role === 'user' && isSummary(message.text)),
    room: Math.max(0, WINDOW_TOKENS - used),
  }
}

type Progress = Pick<Situation, 'round' | 'results' | 'steered' | 'said'>

/** What has happened since the question. */
function readProgress(messages: readonly ModelMessage[]): Progress {
  const inputs = new Map<string, Record<string, unknown>>()
  let round = 0
  let results: readonly DemoResult[] = []
  let steered: Heard[] = []
  let said = ''
  for (const message of messages) {
    switch (message.role) {
      case 'tool':
        round++
        said = ''
        steered = []
        results = message.results.map(({ callId, toolName, ok, text }) => ({
          toolName,
          ok,
          text,
          input: inputs.get(callId) ?? {},
        }))
        break
      case 'user': {
        const text = stripMessage(message.text)
        if (text !== '') steered.push(readHeard(text))
        break
      }
      case 'assistant':
        for (const part of message.parts) {
          if (part.type === 'text') said += part.text
          else if (part.type === 'tool_call') inputs.set(part.callId, parseInput(part.arguments))
        }
    }
  }
  return { round, results, steered, said: toSaid(said) }
}

/** The question may be part of a summary by now: the last one it tells of. */
function readQuestion(message: ModelMessage | undefined): string {
  if (message?.role !== 'user') return ''
  return (
    readSummary(message.text)?.at(-1) ?? (isSummary(message.text) ? '' : stripMessage(message.text))
  )
}

/** The message that began the run: the last one that was not steered into it. */
function findQuestion(messages: readonly ModelMessage[]): number {
  const index = messages.findLastIndex(
    (message, i) =>
      message.role === 'user' &&
      !isSummary(message.text) &&
      stripNotes(message.text) !== '' &&
      !isSteered(messages, i),
  )
  return Math.max(index, 0)
}

/** Steered messages follow tool results directly; after a run that ended, a note comes first. */
function isSteered(messages: readonly ModelMessage[], index: number): boolean {
  for (let at = index; at >= 0; at--) {
    const message = messages[at]!
    if (message.role !== 'user') return message.role === 'tool'
    if (stripNotes(message.text) !== message.text) return false
  }
  return false
}

function parseInput(json: string): Record<string, unknown> {
  try {
    return (JSON.parse(json) as Record<string, unknown> | null) ?? {}
  } catch {
    return {}
  }
}

export const toTokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)

export function countChars({ system, messages, tools }: ModelRequest): number {
  let chars = system.length + JSON.stringify(tools).length
  for (const message of messages) {
    if (message.role === 'user') chars += message.text.length
    else if (message.role === 'tool') for (const { text } of message.results) chars += text.length
    else {
      for (const part of message.parts) {
        chars += part.type === 'tool_call' ? part.arguments.length : part.text.length
      }
    }
  }
  return chars
}

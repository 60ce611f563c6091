// The model that works with no key at all, and says so. It reads the request like any model:
// what to say next follows from the messages alone, so a run that was interrupted, steered or
// recovered goes on where its history says it stopped.

import type { Model, ModelMessage, ModelPart, ModelRequest } from '../core/session/model.ts'
import { sleep as defaultSleep } from '../core/tools/sleep.ts'
import {
  findScene,
  INTRODUCTION,
  NOTHING_LEFT,
  RESUMPTION,
  toAcknowledgement,
  toReport,
  toUnavailable,
  type DemoResult,
  type DemoStep,
  type Situation,
} from './demo-scripts.ts'

export type DemoOptions = {
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Deltas a second. */
  rate?: number
}

const DEFAULT_RATE = 60
const CHARS_PER_TOKEN = 4
/** A word with the space after it, as models stream. */
const WORDS = /\S+\s*|\s+/g
const ARGUMENT_CHARS = 8

export function createDemoModel({
  sleep = defaultSleep,
  rate = DEFAULT_RATE,
}: DemoOptions = {}): Model {
  return {
    id: 'demo',
    async stream(request, signal, emit) {
      signal.throwIfAborted()
      let chars = 0
      let called = false
      for (const { part, size } of toParts(toSteps(request))) {
        if (size > 0) await sleep(1000 / rate, signal)
        signal.throwIfAborted()
        emit(part)
        chars += size
        called ||= part.type === 'tool_call'
      }
      return {
        stopReason: called ? 'tool_calls' : 'stop',
        usage: {
          inputTokens: toTokens(countChars(request)),
          outputTokens: toTokens(chars),
          cachedTokens: 0,
        },
      }
    },
  }
}

/** `size` is what the part adds to the output; a part without any takes no time. */
function* toParts(steps: readonly DemoStep[]): Generator<{ part: ModelPart; size: number }> {
  for (const step of steps) {
    if (step.type === 'call') {
      yield* toCallParts(step.toolName, JSON.stringify(step.input))
      continue
    }
    for (const [word] of step.text.matchAll(WORDS)) {
      yield { part: { type: step.type, text: word }, size: word.length }
    }
  }
}

function* toCallParts(
  toolName: string,
  args: string,
): Generator<{ part: ModelPart; size: number }> {
  const id = `call_${crypto.randomUUID().slice(0, 13)}`
  yield { part: { type: 'tool_input', id, toolName, text: '' }, size: 0 }
  for (let at = 0; at < args.length; at += ARGUMENT_CHARS) {
    const text = args.slice(at, at + ARGUMENT_CHARS)
    yield { part: { type: 'tool_input', id, toolName, text }, size: text.length }
  }
  yield { part: { type: 'tool_call', id, toolName, arguments: args }, size: 0 }
}

type Reading = Situation & {
  /** No model has said anything before this question. */
  isFirst: boolean
  /** How many times tools have answered since the question. */
  round: number
  /** What was already said in this round, by an attempt that was interrupted. */
  said: string
}

/** What the history puts before a message, or sends alone when a run has to go on. */
const NOTES = /^(?:\[[^\]\n]{0,200}\b(?:interrupted|continue)\b[^\]\n]{0,200}\]\s*)+/i

export function toSteps(request: ModelRequest): readonly DemoStep[] {
  const reading = readMessages(request.messages)
  const { rounds } = findScene(reading.asked)
  const script = (rounds[reading.round] ?? toReport)(reading)
  const steps = script.map((step) =>
    step.type !== 'call' || request.tools.some(({ name }) => name === step.toolName)
      ? step
      : toUnavailable(step.toolName),
  )
  if (reading.steered.length > 0) steps.unshift(toAcknowledgement(reading.steered))
  if (reading.isFirst && reading.round === 0) {
    const afterThinking = Math.max(
      0,
      steps.findIndex((step) => step.type !== 'thinking'),
    )
    steps.splice(afterThinking, 0, { type: 'text', text: INTRODUCTION })
  }
  return reading.said === '' ? steps : resume(steps, reading.said)
}

/** The steps without what was said already. */
function resume(steps: readonly DemoStep[], said: string): readonly DemoStep[] {
  const spoken = steps.filter((step) => step.type === 'text')
  const whole = spoken.map((step) => step.text).join('')
  // Another model's words, or an older script's: there is no place to go on from.
  if (!whole.startsWith(said)) return [{ type: 'text', text: RESUMPTION }, ...steps]
  const rest = whole.slice(said.length)
  const calls = steps.filter((step) => step.type === 'call')
  if (rest === '' && calls.length === 0) return [{ type: 'text', text: NOTHING_LEFT }]
  return rest === '' ? calls : [{ type: 'text', text: rest }, ...calls]
}

function readMessages(messages: readonly ModelMessage[]): Reading {
  const start = findQuestion(messages)
  const question = messages[start]
  const calls = new Map<string, Record<string, unknown>>()
  const steered: string[] = []
  const reading = {
    asked: question?.role === 'user' ? question.text.replace(NOTES, '') : '',
    isFirst: !messages.slice(0, start).some(({ role }) => role === 'assistant'),
    results: [] as readonly DemoResult[],
    steered,
    round: 0,
    said: '',
  }
  for (const message of messages.slice(start + 1)) {
    if (message.role === 'tool') {
      reading.round++
      reading.said = ''
      steered.length = 0
      reading.results = message.results.map(({ callId, toolName, ok, text }) => ({
        toolName,
        ok,
        text,
        input: calls.get(callId) ?? {},
      }))
    } else if (message.role === 'user') {
      const text = message.text.replace(NOTES, '')
      if (text !== '') steered.push(text)
    } else {
      for (const part of message.parts) {
        if (part.type === 'text') reading.said += part.text
        else calls.set(part.callId, parseInput(part.arguments))
      }
    }
  }
  return reading
}

/**
 * The message that began the run: the last one from a person that was not steered into it. A
 * steered message follows tool results directly; after a run that ended, a note comes first.
 */
function findQuestion(messages: readonly ModelMessage[]): number {
  const index = messages.findLastIndex((message, i) => {
    if (message.role !== 'user') return false
    const text = message.text.replace(NOTES, '')
    const isSteered = messages[i - 1]?.role === 'tool' && text === message.text
    return text !== '' && !isSteered
  })
  return Math.max(index, 0)
}

function parseInput(json: string): Record<string, unknown> {
  try {
    return (JSON.parse(json) as Record<string, unknown> | null) ?? {}
  } catch {
    return {}
  }
}

const toTokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)

function countChars({ system, messages, tools }: ModelRequest): number {
  let chars = system.length + JSON.stringify(tools).length
  for (const message of messages) {
    if (message.role === 'user') chars += message.text.length
    else if (message.role === 'tool') for (const { text } of message.results) chars += text.length
    else {
      for (const part of message.parts) {
        chars += part.type === 'text' ? part.text.length : part.arguments.length
      }
    }
  }
  return chars
}

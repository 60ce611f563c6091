// The model that works with no key at all, and says so. It reads the request like any model:
// what to say next follows from the messages alone, so a run that was interrupted, steered,
// recovered or handed to another model goes on where its history says it stopped.

import { ModelError, type Model, type ModelPart, type ModelRequest } from '../core/session/model.ts'
import { sleep as defaultSleep } from '../core/tools/sleep.ts'
import { toSummarySteps } from './demo-context-scenes.ts'
import { isSummaryRequest } from './demo-notes.ts'
import { countChars, readRequest, toTokens } from './demo-reading.ts'
import { resume } from './demo-resume.ts'
import {
  INTRODUCTION,
  text,
  WINDOW_TOKENS,
  type DemoModelId,
  type DemoStep,
  type Pace,
} from './demo-scene.ts'
import { findScene, toAcknowledgement, toReport, toUnavailable } from './demo-scripts.ts'

export type DemoOptions = {
  /** `demo-backup` goes on where `demo` plays a provider that fails. */
  id?: DemoModelId
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Deltas a second. */
  rate?: number
}

const DEFAULT_RATE = 60
const MAX_RATE = 10_000

/** The setting `PARLEY_DEMO_RATE`; null: it is none. */
export function parseDemoRate(text: string | undefined): number | null {
  const trimmed = text?.trim() ?? ''
  if (trimmed === '') return DEFAULT_RATE
  const rate = Number(trimmed)
  return rate >= 1 && rate <= MAX_RATE ? rate : null
}

/** A word with the space after it, as models stream. */
const WORDS = /\S+\s*|\s+/g
const MANY_WORDS = /(?:\S+\s*){1,12}|\s+/g
const ARGUMENT_CHARS = 8
/** How many times longer a slow word takes. */
const SLOWNESS = 6

export function createDemoModel({
  id = 'demo',
  sleep = defaultSleep,
  rate = DEFAULT_RATE,
}: DemoOptions = {}): Model {
  return {
    id,
    info: { id, provider: 'demo', window: WINDOW_TOKENS, tools: true, price: null },
    async stream(request, signal, emit) {
      signal.throwIfAborted()
      const calls: ModelPart[] = []
      let chars = 0
      for (const step of toSteps(request, id)) {
        if (step.type === 'fail') {
          throw new ModelError(step.code, step.message, step.retryAfterMs ?? null)
        }
        if (step.type === 'hang') await untilAborted(signal)
        for (const { part, size, pace } of toParts(step)) {
          if (size > 0) await sleep((1000 / rate) * (pace === 'slow' ? SLOWNESS : 1), signal)
          signal.throwIfAborted()
          chars += size
          if (part.type === 'tool_call') calls.push(part)
          else emit(part)
        }
      }
      // Only a stream that has come to its end makes calls.
      for (const made of calls) emit(made)
      return {
        stopReason: calls.length > 0 ? 'tool_calls' : 'stop',
        usage: {
          inputTokens: toTokens(countChars(request)),
          outputTokens: toTokens(chars),
          cachedTokens: 0,
        },
      }
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** `size` is what the part adds to the output; a part without any takes no time. */
type SizedPart = { part: ModelPart; size: number; pace?: Pace | undefined }

function* toParts(step: DemoStep): Generator<SizedPart> {
  if (step.type === 'call') return yield* toCallParts(step)
  if (step.type !== 'text' && step.type !== 'thinking') return
  const pace = step.type === 'text' ? step.pace : undefined
  for (const [words] of step.text.matchAll(pace === 'fast' ? MANY_WORDS : WORDS)) {
    yield { part: { type: step.type, text: words }, size: words.length, pace }
  }
}

function* toCallParts(step: Extract<DemoStep, { type: 'call' }>): Generator<SizedPart> {
  const { toolName, input, raw: args = JSON.stringify(input) } = step
  const id = `call_${crypto.randomUUID().slice(0, 13)}`
  yield { part: { type: 'tool_input', id, toolName, text: '' }, size: 0 }
  for (let at = 0; at < args.length; at += ARGUMENT_CHARS) {
    const piece = args.slice(at, at + ARGUMENT_CHARS)
    yield { part: { type: 'tool_input', id, toolName, text: piece }, size: piece.length }
  }
  yield { part: { type: 'tool_call', id, toolName, arguments: args }, size: 0 }
}

function toSteps(request: ModelRequest, id: DemoModelId): readonly DemoStep[] {
  const [only, ...others] = request.messages
  const isAlone = others.length === 0 && request.tools.length === 0
  if (isAlone && only?.role === 'user' && isSummaryRequest(only.text)) {
    return toSummarySteps(only.text)
  }
  const reading = readRequest(request, id)
  const { rounds, onward, seam } = findScene(reading.asked, reading.sender)
  const script = (rounds[reading.round] ?? onward ?? toReport)(reading)
  const steps = script.map((step) =>
    step.type !== 'call' || request.tools.some(({ name }) => name === step.toolName)
      ? step
      : toUnavailable(step.toolName),
  )
  if (reading.steered.length > 0) steps.unshift(toAcknowledgement(reading.steered))
  // An agent did not come here to be told what this is.
  const isGuest = reading.isFirst && reading.sender.kind === 'person'
  if (isGuest && reading.round === 0) introduce(steps)
  return reading.said === '' ? steps : resume(steps, reading.said, seam)
}

/** After the thoughts and before the first word; a provider that refuses says nothing at all. */
function introduce(steps: DemoStep[]): void {
  const first = Math.max(
    0,
    steps.findIndex((step) => step.type !== 'thinking'),
  )
  if (steps[first]?.type !== 'fail') steps.splice(first, 0, text(INTRODUCTION))
}

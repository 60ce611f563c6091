// Answers of tools that a model's window has no room for (RUN8). A summary cannot help there: what the
// model just asked for must be kept. It is given the ends of the longest; the log has all of it. What
// it is given follows from the log, so that a restart asks the same again.

import { COMPACT_AT } from '#protocol/limits'
import {
  countChars,
  estimateMessage,
  estimateRequest,
  estimateText,
  toEstimate,
  type Reported,
} from './context.ts'
import type { ModelMessage, ModelRequest, ToolAnswer } from './model.ts'

type Answered = Extract<ModelMessage, { role: 'tool' }>

/** Of what system and tools leave: the rest is for a summary, and for what the model says itself. */
const ANSWERS_SHARE = 0.6
/** A count that moves a little with each report must not move every cut. */
const LIMIT_STEPS = 16
/** Even where there is no room at all something is asked: the provider knows better than we. */
const LEAST_TOKENS = 256
const NOTE_TOKENS = 40
/** Errors and totals stand at the end; what it is about, at the start. */
const HEAD_SHARE = 0.6

/** By our own count, what all that is said may take: beside system and tools, before a summary is due. */
export function roomFor(request: ModelRequest, window: number, reported: Reported | null): number {
  const fixed = estimateRequest({ ...request, messages: [] })
  return toEstimate(reported, COMPACT_AT * window) - fixed
}

/** The same messages where nothing is too long. `room`: of the whole history. */
export function shortenAnswers(
  messages: readonly ModelMessage[],
  room: number,
): readonly ModelMessage[] {
  const step = Math.max(1, 2 ** Math.floor(Math.log2(Math.max(1, room))) / LIMIT_STEPS)
  const limit = Math.max(LEAST_TOKENS, Math.floor((ANSWERS_SHARE * room) / step) * step)
  const isLong = (message: ModelMessage): message is Answered =>
    message.role === 'tool' && estimateMessage(message) > limit
  if (!messages.some(isLong)) return messages
  return messages.map((message) => (isLong(message) ? shortened(message, limit) : message))
}

const known = new WeakMap<Answered, { limit: number; message: Answered }>()

/** Made once for each limit: it is part of every request that follows. */
function shortened(message: Answered, limit: number): Answered {
  const found = known.get(message)
  if (found?.limit === limit) return found.message
  const tokens = message.results.map(({ text }) => estimateText(text))
  const overhead = estimateMessage(message) - tokens.reduce((sum, one) => sum + one, 0)
  const most = shareOut(tokens, limit - overhead)
  const results = message.results.map((answer, at) =>
    tokens[at]! <= most ? answer : cut(answer, most),
  )
  const short: Answered = { role: 'tool', results }
  known.set(message, { limit, message: short })
  return short
}

/** The most that any may take, so that all take no more than `whole`: short ones stay as they are. */
function shareOut(tokens: readonly number[], whole: number): number {
  let left = Math.max(0, whole)
  const sorted = tokens.toSorted((a, b) => a - b)
  for (const [at, one] of sorted.entries()) {
    const share = left / (sorted.length - at)
    if (one > share) return share
    left -= one
  }
  return Infinity
}

function cut(answer: ToolAnswer, tokens: number): ToolAnswer {
  const { text } = answer
  const rest = Math.max(0, tokens - NOTE_TOKENS)
  const head = countChars(text, rest * HEAD_SHARE, 1)
  const tail = countChars(text, rest * (1 - HEAD_SHARE), -1)
  const left = text.length - head - tail
  const note = `[… ${left} of ${text.length} characters left out: they do not fit into your window …]`
  const parts = [text.slice(0, head), note, text.slice(text.length - tail)]
  return {
    ...answer,
    text: parts
      .filter((part) => part !== '')
      .join('\n')
      .toWellFormed(),
  }
}

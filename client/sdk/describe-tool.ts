// One line about a tool call, the same for page, terminal and SSE. Names, arguments and results
// come from models and tools: they are read as data, cut to size, and stripped of what a terminal
// or a bidirectional display would obey.

import type { ToolPart } from '#protocol/state'
import { cutPoint } from '#protocol/text'
import { readPartialObject } from './partial-json.ts'

/** `icon`: a short name. `text`: one line. `detail`: what came of it, or ''. */
export type ToolDescription = { icon: string; text: string; detail: string }

const TEXT_CHARS = 120
const DETAIL_CHARS = 500
/** Of one argument inside the line. */
const ARGUMENT_CHARS = 60

type Arguments = Record<string, unknown>
type Kind = { icon: string; doing: string; done: string; about: (args: Arguments) => string }

const KINDS = new Map<string, Kind>([
  [
    'current_time',
    {
      icon: 'clock',
      doing: 'Checking the time',
      done: 'Checked the time',
      about: (args) => prefixed('in ', args.timezone),
    },
  ],
  [
    'calculate',
    {
      icon: 'calculator',
      doing: 'Calculating',
      done: 'Calculated',
      about: (args) => toArgument(args.expression),
    },
  ],
  [
    'countdown',
    {
      icon: 'timer',
      doing: 'Counting down',
      done: 'Counted down',
      about: (args) => `${prefixed('from ', args.from)} ${prefixed('to ', args.label)}`,
    },
  ],
  [
    'text_stats',
    {
      icon: 'text',
      doing: 'Measuring',
      done: 'Measured',
      about: (args) => (typeof args.text === 'string' ? quote(args.text) : 'a text'),
    },
  ],
  ['think', { icon: 'thought', doing: 'Thinking', done: 'Thought', about: () => '' }],
])

export function describeTool(part: ToolPart): ToolDescription {
  const name = toText(part.toolName)
  const kind = KINDS.get(name) ?? toUnknownKind(name)
  const args = readPartialObject(toText(part.arguments))
  const isDone = part.status === 'success'
  const words = [isDone ? kind.done : kind.doing, kind.about(args), outcomeOf(part)]
  const text = toLine(words.filter((word) => word !== '').join(' '), TEXT_CHARS)
  return { icon: kind.icon, text, detail: toBlock(detailOf(part)) }
}

const toUnknownKind = (name: string): Kind => {
  const shown = toLine(name, ARGUMENT_CHARS) || 'a tool'
  return { icon: 'tool', doing: `Calling ${shown}`, done: `Called ${shown}`, about: firstArgument }
}

function outcomeOf(part: ToolPart): string {
  switch (part.status) {
    case 'error':
      return 'failed'
    case 'interrupted':
      return 'was interrupted'
    case 'denied':
      return 'was denied'
    default:
      return ''
  }
}

/** Streamed output is cut at its beginning: its end is what is new. */
function detailOf(part: ToolPart): string {
  if (part.error !== undefined) return toText(part.error.message)
  if (part.result !== undefined) return toText(part.result)
  const output = toText(part.output)
  const start = output.length - DETAIL_CHARS
  return start > 0 ? output.slice(cutPoint(output, start)) : output
}

function firstArgument(args: Arguments): string {
  const value = Object.values(args).find((value) => toArgument(value) !== '')
  return prefixed('with ', value)
}

const prefixed = (prefix: string, value: unknown): string => {
  const text = toArgument(value)
  return text === '' ? '' : prefix + text
}

function toArgument(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return toLine(toText(value), ARGUMENT_CHARS)
}

const quote = (text: string): string => `“${toLine(text, ARGUMENT_CHARS)}”`

/** The types promise a string; a foreign log may hold anything. */
const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

// Control characters, and the marks that turn the direction of what follows.
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu
const OBEYED_IN_BLOCK = /[^\P{Cc}\n\t]+|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu

const toLine = (text: string, chars: number): string =>
  cut(
    cut(text, chars * 4)
      .replace(OBEYED, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    chars,
  )

const toBlock = (text: string): string =>
  cut(
    cut(text, DETAIL_CHARS * 2)
      .replace(OBEYED_IN_BLOCK, '')
      .trim(),
    DETAIL_CHARS,
  )

const cut = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, cutPoint(text, chars - 1))}…`

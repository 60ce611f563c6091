// One line about a tool call, the same for page, terminal and SSE. Names, arguments and results
// come from models and tools: they are read as data, cut to size, and stripped of what a terminal
// or a bidirectional display would obey.

import type { ToolPart } from './turns.ts'
import { cutPoint } from './text.ts'
import { readPartialObject } from './partial-json.ts'

/** `icon`: a short name. `text`: one line. `detail`: what came of it, or ''. */
export type ToolDescription = { icon: string; text: string; detail: string }

// Pure, and in every runtime, though not in the language: it shows a look-alike name for what it is.
declare const URL: { parse: (text: string) => { host: string } | null }

const TEXT_CHARS = 120
const DETAIL_CHARS = 500
/** Of one argument inside the line. */
const ARGUMENT_CHARS = 60

type Arguments = Record<string, unknown>
/** `about`: the argument that says what it is about, or how to say it; `before`: a word before it. */
type Kind = readonly [
  icon: string,
  doing: string,
  done: string,
  about?: string | ((args: Arguments) => string),
  before?: string,
]

const KINDS = new Map<string, Kind>([
  ['current_time', ['clock', 'Checking the time', 'Checked the time', 'timezone', 'in ']],
  ['calculate', ['calculator', 'Calculating', 'Calculated', 'expression']],
  [
    'countdown',
    [
      'timer',
      'Counting down',
      'Counted down',
      (args) => `${prefixed('from ', args.from)} ${prefixed('to ', args.label)}`,
    ],
  ],
  [
    'text_stats',
    [
      'text',
      'Measuring',
      'Measured',
      (args) => (typeof args.text === 'string' ? quote(args.text) : 'a text'),
    ],
  ],
  ['think', ['thought', 'Thinking', 'Thought']],
  ['bash', ['terminal', 'Running', 'Ran', 'command']],
  ['read_file', ['file', 'Reading', 'Read', 'path']],
  ['write_file', ['file', 'Writing', 'Wrote', 'path']],
  ['edit_file', ['file', 'Editing', 'Edited', 'path']],
  ['move_file', ['file', 'Moving', 'Moved', 'from']],
  ['delete_file', ['file', 'Deleting', 'Deleted', 'path']],
  ['list_files', ['file', 'Listing files', 'Listed files', 'path', 'in ']],
  ['search_files', ['file', 'Searching for', 'Searched for', 'pattern']],
  ['web_post', ['globe', 'Posting', 'Posted', (args) => prefixed('to ', toHost(args.url))]],
  ['ask_user', ['info', 'Asking you', 'Asked you']],
  ['update_plan', ['list', 'Updating the plan', 'Updated the plan']],
  ['finalize_task', ['check', 'Finishing', 'Finished']],
  ['mission_done', ['check', 'Ending the mission', 'Ended the mission']],
  ['agents_message', ['users', 'Asking', 'Asked', 'to']],
  [
    'agents_spawn',
    [
      'users',
      'Starting',
      'Started',
      (args) => `${toArgument(args.agent) || 'a child'}${prefixed(': ', args.task)}`,
    ],
  ],
  ['agents_list', ['users', 'Looking up the agents', 'Looked up the agents']],
])

export function describeTool(part: ToolPart): ToolDescription {
  const name = toText(part.toolName)
  const [icon, doing, done, about = '', before = ''] = KINDS.get(name) ?? toUnknownKind(name)
  // What a person changed is what ran.
  const edits = part.decision?.edits
  const args = readPartialObject(toText(edits?.arguments ?? part.arguments))
  if (edits?.command !== undefined) args.command = edits.command
  // Whoever was written to by the id of a session, or started without a name, has one.
  if (part.exchange !== undefined) args.to = part.exchange.toAgent
  if (part.child !== undefined) args.agent = part.child.agent
  const isDone = part.status === 'success'
  const what = typeof about === 'string' ? prefixed(before, args[about]) : about(args)
  const words = [isDone ? done : doing, what, outcomeOf(part)]
  const text = toLine(words.filter((word) => word !== '').join(' '), TEXT_CHARS)
  return { icon, text, detail: toBlock(detailOf(part)) }
}

const toUnknownKind = (name: string): Kind => {
  const shown = toLine(name, ARGUMENT_CHARS) || 'a tool'
  return ['tool', `Calling ${shown}`, `Called ${shown}`, firstArgument]
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

/** What the model is told first where a person had changed the call; people see that by itself. */
const CHANGED_NOTE = /^\[The person changed the call before it ran\. What ran: [^\n]*\]\s/

/** Streamed output is cut at its beginning: its end is what is new. */
function detailOf(part: ToolPart): string {
  if (part.error !== undefined) return toText(part.error.message).replace(CHANGED_NOTE, '')
  if (part.result !== undefined) return toText(part.result).replace(CHANGED_NOTE, '')
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

/** Where it goes, without the path: what is still being written, and no address, as it stands. */
const toHost = (url: unknown): unknown => (typeof url === 'string' && URL.parse(url)?.host) || url

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

// Live text over the log. Fragments are never events: they lie over the open response until the
// row that holds the same text arrives, and a client drops all of them when it reconnects.

import type { EventBody, SessionEvent } from './events.ts'
import type { Fragment } from './frames.ts'
import { parseResponseId } from './ids.ts'
import type { SessionState } from './state.ts'
import { isTextPart, type Part, type Response, type TextPart, type ToolPart } from './turns.ts'
import { spliceAt } from './text.ts'

export type Tail = ReadonlyMap<string, Fragment>

export const EMPTY_TAIL: Tail = new Map()

const keyOf = (kind: Fragment['kind'], id: string): string => `${kind}:${id}`

export function applyFragment(tail: Tail, fragment: Fragment): Tail {
  const key = keyOf(fragment.kind, fragment.partId ?? fragment.callId ?? '')
  const held = tail.get(key)
  const joined = held && joinFragments(held, fragment)
  return new Map(tail).set(key, joined ?? fragment)
}

function joinFragments(held: Fragment, next: Fragment): Fragment | null {
  const at = next.offset - held.offset
  if (at < 0) return null
  // A gap: keep what is known to be right; the next row fills it.
  if (at > held.text.length) return held
  return { ...held, text: spliceAt(held.text, at, next.text) }
}

/** A row supersedes the fragments of its part; the end of a run supersedes all. */
export function trimTail(tail: Tail, event: SessionEvent): Tail {
  if (tail.size === 0) return tail
  switch (event.type) {
    case 'text_delta':
    case 'text_done':
      return without(tail, keyOf('text', event.partId))
    case 'thinking_delta':
    case 'thinking_done':
      return without(tail, keyOf('thinking', event.partId))
    case 'tool_call_start':
      return without(tail, keyOf('tool_input', event.callId))
    case 'tool_output_delta':
    case 'tool_result':
      return without(tail, keyOf('tool_output', event.callId))
    // The step began again: a call that was only announced will not come.
    case 'model_fallback':
    case 'warning':
      return withoutInputs(tail)
    case 'run_started':
    case 'run_done':
    case 'session_cleared':
      return EMPTY_TAIL
    default:
      return tail
  }
}

function without(tail: Tail, key: string): Tail {
  if (!tail.has(key)) return tail
  const next = new Map(tail)
  next.delete(key)
  return next
}

function withoutInputs(tail: Tail): Tail {
  const kept = [...tail].filter(([, { kind }]) => kind !== 'tool_input')
  return kept.length === tail.size ? tail : new Map(kept)
}

/** The open response as a person should see it now. Parts without live text keep their identity. */
export function viewOpen(
  state: Pick<SessionState, 'open' | 'run' | 'session'>,
  tail: Tail,
): Response | null {
  let view = state.open
  for (const fragment of tail.values()) {
    view ??= emptyResponse(state, fragment)
    if (view.responseId === fragment.responseId) view = overlay(view, fragment)
  }
  return view
}

function emptyResponse(state: Pick<SessionState, 'run' | 'session'>, fragment: Fragment): Response {
  const { run, session } = state
  return {
    responseId: fragment.responseId,
    runId: parseResponseId(fragment.responseId).runId,
    model: run.status === 'running' ? run.model : session.model,
    agent: run.status === 'running' ? run.agent : session.agent,
    seq: 0,
    at: 0,
    parts: [],
  }
}

function overlay(view: Response, fragment: Fragment): Response {
  const index = view.parts.findLastIndex((part) => isPartOf(part, fragment))
  const held = view.parts[index]
  const part = held === undefined ? newPart(fragment) : withFragment(held, fragment)
  if (part === null) return view
  const parts = held === undefined ? [...view.parts, part] : view.parts.with(index, part)
  return { ...view, parts }
}

function isPartOf(part: Part, fragment: Fragment): boolean {
  if (part.kind === 'tool') return part.callId === fragment.callId
  return isTextPart(part) && part.kind === fragment.kind && part.partId === fragment.partId
}

function newPart(fragment: Fragment): TextPart | ToolPart | null {
  if (fragment.offset > 0) return null
  switch (fragment.kind) {
    case 'text':
    case 'thinking':
      return {
        kind: fragment.kind,
        partId: fragment.partId ?? '',
        text: fragment.text,
        state: 'open',
      }
    case 'tool_input':
      return {
        kind: 'tool',
        callId: fragment.callId ?? '',
        toolName: fragment.toolName ?? '',
        arguments: fragment.text,
        status: 'preparing',
        startedAt: 0,
        output: '',
      }
    case 'tool_output':
      return null
  }
}

function withFragment(part: Part, fragment: Fragment): TextPart | ToolPart | null {
  if (part.kind === 'tool') {
    if (fragment.kind === 'tool_input' || fragment.offset > part.output.length) return null
    return { ...part, output: spliceAt(part.output, fragment.offset, fragment.text) }
  }
  if (!isTextPart(part) || part.state !== 'open' || fragment.offset > part.text.length) return null
  return { ...part, text: spliceAt(part.text, fragment.offset, fragment.text) }
}

/** Thinking before an answer, not a `think` call, which the model is called again after. */
const isOwnThinking = (part: TextPart): boolean =>
  part.state === 'done' && part.callId === undefined

export type AgentStatus = 'idle' | 'model_loading' | 'thinking' | 'calling_tool' | 'working'

/** Derived, never stored: what the agent is doing, from what a person can see. */
export function agentStatus(run: SessionState['run'], view: Response | null): AgentStatus {
  if (run.status === 'idle') return 'idle'
  const parts = view?.parts ?? []
  if (parts.some((part) => part.kind === 'tool' && part.status === 'preparing'))
    return 'calling_tool'
  if (parts.some((part) => part.kind === 'tool' && part.status === 'pending')) return 'working'
  // A settled part keeps its phase until the next begins: only a new step loads the model again.
  const last = parts.at(-1)
  if (last?.kind === 'text' && last.state !== 'interrupted') return 'working'
  if (last?.kind === 'thinking' && (last.state === 'open' || isOwnThinking(last))) return 'thinking'
  return 'model_loading'
}

/** Which parts still wait for a `*_done`: only their deltas are not superseded. */
export function openPartIds(open: Response | null): string[] {
  if (open === null) return []
  return open.parts.flatMap((part) => {
    if (part.kind === 'tool') return part.status === 'pending' ? [part.callId] : []
    return isTextPart(part) && part.state === 'open' ? [part.partId] : []
  })
}

/** The part a delta event belongs to; null for everything that is never superseded. */
export function deltaPartOf(event: EventBody): string | null {
  switch (event.type) {
    case 'text_delta':
    case 'thinking_delta':
      return event.partId
    case 'tool_output_delta':
      return event.callId
    default:
      return null
  }
}

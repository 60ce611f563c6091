// THE reducer. Object, browser, terminal and tests fold with this and nothing else, so live and
// reloaded views cannot differ. Leaving out deltas that a later `*_done` or `tool_result`
// superseded must not change the outcome: that is why those events carry everything.

import type { EventOf, SessionChanges, SessionEvent } from './events.ts'
import {
  applyChildResult,
  applyExchangeStarted,
  applyProgress,
  applySpawned,
} from './reduce-agents.ts'
import {
  applyAnswered,
  applyAskUser,
  applyDecisionRequested,
  applyDecisionResolved,
  closeWaits,
  updateTool,
} from './reduce-decisions.ts'
import { applyFileChangeResult, applyFilesChanged } from './reduce-files.ts'
import { applyAgentCallback, applyAgentMessage, applyUserMessage } from './reduce-messages.ts'
import { applyIdlePrompt, applyMissionUpdated, applyOverrideUpdated } from './reduce-missions.ts'
import { applyNotice, withOpen } from './reduce-open.ts'
import {
  applyDelta,
  applyTextDone,
  newText,
  newToolCall,
  putPart,
  settleTool,
} from './reduce-parts.ts'
import {
  applyCompacted,
  applyContextUsage,
  applyFallback,
  applyOutputCancelled,
  applyRunDone,
  applyRunStarted,
} from './reduce-runs.ts'
import { EMPTY_STATE, type QueueState, type SessionState } from './state.ts'
import { spliceAt } from './text.ts'

export function fold(
  events: Iterable<SessionEvent>,
  from: SessionState = EMPTY_STATE,
): SessionState {
  let state = from
  for (const event of events) state = applyEvent(state, event)
  return state
}

/** Events at or below the state's seq were folded already and change nothing. */
export function applyEvent(state: SessionState, event: SessionEvent): SessionState {
  if (event.seq <= state.seq) return state
  return { ...reduce(state, event), seq: event.seq }
}

function reduce(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session_created':
      return {
        ...state,
        session: {
          ...state.session,
          id: event.sessionId,
          agent: event.agent,
          model: event.model,
          createdAt: event.at,
          updatedAt: event.at,
          ...createdBy(event),
        },
      }
    case 'session_configured':
      return { ...state, session: { ...state.session, ...withoutUndefined(event.changes) } }
    case 'session_cleared':
      return {
        ...state,
        turns: [],
        open: null,
        context: null,
        plan: null,
        session: { ...state.session, messages: 0, clearedSeq: event.seq },
      }
    case 'user_message':
      return applyUserMessage(state, event)
    case 'agent_message':
      return applyAgentMessage(state, event)
    case 'exchange_started':
      return applyExchangeStarted(state, event)
    case 'agent_callback_result':
      return applyAgentCallback(state, event)
    case 'subagent_spawned':
      return applySpawned(state, event)
    case 'subagent_progress':
      return applyProgress(state, event)
    case 'subagent_result':
      return applyChildResult(state, event)
    case 'queue_updated':
      return { ...state, queue: toQueueState(event) }
    case 'run_started':
      return applyRunStarted(state, event)
    case 'text_delta':
      return withOpen(state, event, (open) => applyDelta(open, 'text', event))
    case 'thinking_delta':
      return withOpen(state, event, (open) => applyDelta(open, 'thinking', event))
    case 'text_done':
      return withOpen(state, event, (open) => applyTextDone(open, 'text', event))
    case 'thinking_done':
      return withOpen(state, event, (open) => applyTextDone(open, 'thinking', event))
    case 'thinking_start':
      return withOpen(state, event, (open) => putPart(open, newText('thinking', event)))
    case 'tool_call_start':
      return withOpen(state, event, (open) => putPart(open, newToolCall(event)))
    case 'tool_output_delta':
      return updateTool(state, event.callId, (tool) => ({
        ...tool,
        output: spliceAt(tool.output, event.offset, event.delta),
      }))
    case 'tool_result':
      return closeWaits(
        updateTool(state, event.callId, (tool) => settleTool(tool, event)),
        event.callId,
      )
    case 'decision_requested':
      return applyDecisionRequested(state, event)
    case 'decision_resolved':
      return applyDecisionResolved(state, event)
    case 'ask_user':
      return applyAskUser(state, event)
    case 'ask_user_answered':
      return applyAnswered(state, event)
    case 'plan_update':
      return { ...state, plan: event.plan }
    case 'rule_added':
      return withRules(state, [...state.session.rules, event.rule])
    case 'rule_removed':
      return withRules(
        state,
        state.session.rules.filter(({ ruleId }) => ruleId !== event.ruleId),
      )
    case 'files_changed':
      return applyFilesChanged(state, event)
    case 'file_change_result':
      return applyFileChangeResult(state, event)
    case 'mission_updated':
      return applyMissionUpdated(state, event)
    case 'idle_prompt':
      return applyIdlePrompt(state, event)
    case 'override_updated':
      return applyOverrideUpdated(state, event)
    case 'model_fallback':
      return applyFallback(state, event)
    case 'context_usage':
      return applyContextUsage(state, event)
    case 'compacted':
      return applyCompacted(state, event)
    case 'warning':
      return applyNotice(state, event, { level: 'warning', ...toNote(event) })
    case 'error':
      return applyNotice(state, event, { level: 'error', ...toNote(event) })
    case 'output_cancelled':
      return applyOutputCancelled(state, event)
    case 'run_done':
      return applyRunDone(state, event)
    default:
      // A newer server's event: an old tab keeps its place and is told to reload by the version.
      return state
  }
}

function createdBy(event: EventOf<'session_created'>): Partial<SessionState['session']> {
  const { mode, recovery, origin } = event
  const own = { ...(mode && { mode }), ...(recovery && { recovery }) }
  if (origin === undefined) return own
  const { rules, ...rest } = origin
  const { autoApproveCommands, autoApproveSensitiveEdits, sensitivePatterns } = origin.limits
  const settings = { autoApproveCommands, autoApproveSensitiveEdits, sensitivePatterns }
  return { ...own, ...settings, rules, origin: rest }
}

const toQueueState = ({ items, held, heldFor }: EventOf<'queue_updated'>): QueueState => ({
  items,
  held,
  ...(heldFor !== undefined && { heldFor }),
})

const toNote = ({ code, message }: { code: string; message: string }) => ({ code, message })

const withRules = (state: SessionState, rules: SessionState['session']['rules']): SessionState => ({
  ...state,
  session: { ...state.session, rules },
})

function withoutUndefined(changes: SessionChanges): Partial<SessionState['session']> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

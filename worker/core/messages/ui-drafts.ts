// What each event says in the words of seed 003. One entry for each type of event: a new one does
// not compile before it has its place here.

import type { EventBody, QueueItem } from '#protocol/events'
import { newToolCall } from '#protocol/reduce-parts'
import type { SessionState } from '#protocol/state'
import { callingTool, endedTool } from './ui-activity.ts'
import { toData, toSnakeKeys, toSync, type Logged, type UiDraft } from './ui-draft.ts'
import { findTool, toLastToken, toLoneTool, toSegment, toToken } from './ui-part-drafts.ts'

/** The session before an event and after it, and whose words it is about. */
export type Scene = { before: SessionState; after: SessionState; agent: string }

type Draft<T extends EventBody['type']> = (event: Logged<T>, scene: Scene) => UiDraft[]

export const DRAFTS: { [T in EventBody['type']]: Draft<T> } = {
  session_created: ({ agent, model }) => [toSync('session_created', { agent, model })],
  session_configured: ({ changes }) => [
    toSync('session_configured', { changes: toSnakeKeys(changes) }),
  ],
  session_cleared: ({ by }) => [toSync('session_cleared', { by })],
  user_message: (event, { agent }) => [
    {
      kind: 'message',
      text: event.text,
      data: {
        from: 'user',
        to: event.to ?? agent,
        message_id: event.messageId,
        delivery: event.delivery,
        attachments: toNames(event.attachments),
      },
    },
  ],
  queue_updated: ({ items, held }) => [
    { kind: 'queue', data: { items: items.map(toQueueItem), held } },
  ],
  run_started: ({ runId, model, attempt, kind, parentRunId, exchangeId }) => [
    toSync('run_started', {
      run_id: runId,
      model,
      attempt,
      run_kind: kind ?? 'answer',
      ...(parentRunId !== undefined && { parent_run_id: parentRunId }),
      ...(exchangeId !== undefined && { exchange_id: exchangeId }),
    }),
  ],
  text_delta: (event) => [toToken(event, { thinking: false })],
  text_done: (event, { before }) => [
    toLastToken(event, before, { thinking: false }),
    ...(event.text === '' ? [] : [toSegment(event)]),
  ],
  // The status says that it thinks; the first words follow.
  thinking_start: () => [],
  thinking_delta: (event) => [toToken(event, { thinking: true })],
  thinking_done: (event, { before }) => [toLastToken(event, before, { thinking: true })],
  tool_call_start: (event) => [callingTool(newToolCall(event))],
  tool_output_delta: ({ callId, offset, delta, stream }, { after }) => [
    {
      kind: 'tool_progress',
      text: delta,
      data: {
        call_id: callId,
        tool: findTool(after, callId)?.toolName ?? '',
        offset,
        stream: stream ?? 'stdout',
      },
    },
  ],
  tool_result: (event, { after }) => [
    endedTool(findTool(after, event.callId) ?? toLoneTool(event)),
  ],
  // Only `decide` answers it: there is no question in it that `ask-user-response` could name.
  decision_requested: (event) => [
    {
      kind: 'ask_user',
      phase: 'decision',
      text: event.reason,
      data: { decision_kind: event.kind, ...toData(event, 'kind') },
    },
  ],
  decision_resolved: (event) => [
    toSync(
      event.type,
      { decision_kind: event.kind, ...toData(event, 'kind', 'reason') },
      event.reason,
    ),
  ],
  ask_user: ({ questionId, callId, questions }) => [
    {
      kind: 'ask_user',
      text: questions[0]?.text ?? '',
      data: { question_id: questionId, call_id: callId, questions },
    },
  ],
  ask_user_answered: ({ type, questionId, callId, answers, by }) => [
    toSync(type, { question_id: questionId, call_id: callId, answers, by }),
  ],
  plan_update: ({ runId, plan }) => [
    { kind: 'run', phase: 'plan_update', text: plan.title, data: { run_id: runId, plan } },
  ],
  rule_added: ({ rule }) => [toSync('rule_added', { rule: toSnakeKeys(rule) })],
  rule_removed: ({ ruleId, by }) => [toSync('rule_removed', { rule_id: ruleId, by })],
  files_changed: (event) => [
    {
      kind: 'run',
      phase: 'change_report',
      data: {
        ...toData(event, 'files', 'truncatedCount'),
        files: event.files.map(({ path, action, additions, deletions }) => ({
          path,
          action,
          additions,
          deletions,
        })),
        truncated_count: event.truncatedCount ?? 0,
      },
    },
  ],
  file_change_result: ({ type, checkpointId, path, hunk, action, ok, by }) => [
    toSync(type, {
      checkpoint_id: checkpointId,
      path,
      ...(hunk !== undefined && { hunk }),
      action,
      ok,
      by,
    }),
  ],
  model_fallback: ({ runId, preferred, actual, reason }) => [
    {
      kind: 'model_fallback',
      text: `${actual} takes over from ${preferred}: ${reason}`,
      data: { run_id: runId, preferred, actual, reason },
    },
  ],
  context_usage: ({ runId, messages, tokens, window, compacted }) => [
    {
      kind: 'run',
      phase: 'context_usage',
      data: {
        run_id: runId,
        message_count: messages,
        estimated_tokens: tokens,
        window,
        compressed: compacted,
      },
    },
  ],
  compacted: ({ runId, upToSeq, summary }) => [
    toSync('compacted', { run_id: runId, up_to_seq: upToSeq }, summary),
  ],
  warning: (event) => [toNotice(event)],
  error: (event) => [toNotice(event)],
  output_cancelled: (event) => [
    toSync(event.type, { cancel_reason: event.reason, ...toData(event, 'reason') }),
  ],
  run_done: ({ runId, outcome, stopReason, usage, durationMs }) => [
    {
      kind: 'run',
      phase: 'outcome',
      text: outcome,
      data: { run_id: runId, outcome, stop_reason: stopReason, usage, duration_ms: durationMs },
    },
  ],
  subagent_spawned: ({ runId, childSessionId, childRunId, task }) => [
    {
      kind: 'run',
      phase: 'subagent_spawned',
      text: task,
      data: {
        parent_id: runId,
        subagent_id: childRunId,
        subagent_session_id: childSessionId,
        task,
      },
    },
  ],
  subagent_progress: ({ childRunId, status, activity, tools, waits }, { before, agent }) => [
    {
      kind: 'activity',
      phase: 'doing',
      text: activity,
      agent_id: before.children.find((child) => child.childRunId === childRunId)?.agent ?? agent,
      data: {
        subagent_id: childRunId,
        subagent_status: status,
        tool_count: tools,
        waits: waits.length,
      },
    },
  ],
  subagent_result: ({ childRunId, outcome, summary }, { before }) => [
    {
      kind: 'run',
      phase: 'subagent_result',
      text: summary,
      data: {
        ...(before.run.status === 'running' && { parent_id: before.run.runId }),
        subagent_id: childRunId,
        outcome,
      },
    },
  ],
  exchange_started: ({ exchangeId, callId, toSessionId, toAgent, text, wait }, { agent }) => [
    {
      kind: 'message',
      text,
      data: {
        from: agent,
        to: toAgent,
        exchange_id: exchangeId,
        call_id: callId,
        to_session_id: toSessionId,
        wait,
      },
    },
  ],
  agent_message: ({ messageId, from, exchangeId, text, hops }, { agent }) => [
    {
      kind: 'message',
      text,
      data: { from, to: agent, message_id: messageId, exchange_id: exchangeId, hops },
    },
  ],
  agent_callback_result: (event, { agent }) => [
    {
      kind: 'message',
      text: event.result,
      data: {
        from: event.from,
        to: agent,
        exchange_id: event.exchangeId,
        from_session_id: event.sessionId,
        run_id: event.runId,
        ok: event.ok,
        tool_calls: event.toolCalls.map(({ callId, toolName, ok }) => ({
          call_id: callId,
          tool: toolName,
          ok,
        })),
      },
    },
  ],
  idle_prompt: ({ type, missionId, runId, text, n, of }) => [
    {
      kind: 'activity',
      phase: 'doing',
      text,
      data: { status: type, mission_id: missionId, run_id: runId, prompt: n, max_prompts: of },
    },
  ],
  mission_updated: ({ type, mission, by, reason }) => [
    toSync(type, { change: reason, by, mission: mission && toSnakeKeys(mission) }, mission?.text),
  ],
  override_updated: ({ type, agentId, override, by }) => [
    toSync(type, { agent: agentId, by, override: override && toSnakeKeys(override) }),
  ],
}

const toNames = (attachments: readonly { name: string; range?: string | undefined }[]) =>
  attachments.map(({ name, range }) => (range === undefined ? { name } : { name, range }))

const toQueueItem = ({ itemId, text, delivery, from, to, attachments }: QueueItem): object => ({
  item_id: itemId,
  text,
  delivery,
  from,
  ...(to !== undefined && { to }),
  ...(attachments !== undefined && { attachments: toNames(attachments) }),
})

const toNotice = ({ type, runId, code, message }: Logged<'warning' | 'error'>): UiDraft =>
  toSync(type, { ...(runId !== undefined && { run_id: runId }), code, message }, message)

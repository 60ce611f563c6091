// Messages as the current AI SDK has them (`UIMessage`), oldest first. Valid for its own
// `validateUIMessages`, and `convertToModelMessages` makes a request of them that answers every
// call which has an answer.
//
// Calls are `dynamic-tool` parts: whoever reads them need not know our tools. A refusal, whoever or
// whatever it came from, is `output-denied`, which is that format's word for a call that was not
// made; a text that was cut is `done`, because nothing more comes, and `metadata.interrupted` says it.

import type { Outcome, Usage } from '#protocol/events'
import {
  isTextPart,
  type AssistantTurn,
  type ChangesPart,
  type DecisionView,
  type IdlePromptTurn,
  type NoticePart,
  type Part,
  type QuestionView,
  type Response,
  type ToolPart,
  type Turn,
  type UserTurn,
} from '#protocol/turns'
import { parseArguments } from './arguments.ts'
import { TEXT_TYPE, toDataUrl, toFileName } from './attachment-url.ts'
import { toPromptId } from './prompt-id.ts'
import { contentOf, isRunning, toSteps, type StepMarks } from './steps.ts'

/** `descriptor`: all that a person was shown and said, for a card of one's own. */
type Approval<Approved> = {
  id: string
  approved?: Approved
  requestReason?: string
  reason?: string
  isAutomatic?: boolean
  descriptor?: DecisionView
}

type ToolState =
  | { state: 'input-streaming'; rawInput: string }
  | { state: 'input-available'; input: Record<string, unknown> }
  | { state: 'approval-requested'; input: Record<string, unknown>; approval: Approval<never> }
  | {
      state: 'approval-responded'
      input: Record<string, unknown>
      approval: Approval<boolean> & { approved: boolean }
    }
  | {
      state: 'output-available'
      input: Record<string, unknown>
      output: string
      approval?: Approval<true> & { approved: true }
    }
  | {
      state: 'output-error'
      input: Record<string, unknown>
      errorText: string
      approval?: Approval<true> & { approved: true }
    }
  | {
      state: 'output-denied'
      input: Record<string, unknown>
      approval: Approval<false> & { approved: false }
    }

export type UiToolPart = {
  type: 'dynamic-tool'
  toolCallId: string
  toolName: string
  toolMetadata?: { truncated?: true; question?: QuestionView }
} & ToolState

export type UiPart =
  | { type: 'text' | 'reasoning'; text: string; state: 'streaming' | 'done' }
  | { type: 'file'; mediaType: string; filename: string; url: string }
  | { type: 'step-start' }
  | { type: 'data-notice'; id: string; data: Omit<NoticePart, 'kind' | 'seq'> }
  | { type: 'data-changes'; id: string; data: Omit<ChangesPart, 'kind'> }
  | UiToolPart

export type UiMetadata = {
  createdAt: number
  /** Of a user's message: as whom it addressed, and how it came in. */
  delivery?: UserTurn['delivery']
  to?: string
  /** Of another agent's message or answer. */
  from?: string
  exchangeId?: string
  /** A mission's schedule said it: prompt `n` of `of`. */
  idlePrompt?: { missionId: string; n: number; of: number }
  /** Of an answer. Without `outcome` its run goes on, here or below. */
  runId?: string
  model?: string
  agent?: string
  interrupted?: true
  outcome?: Outcome
  stopReason?: string
  usage?: Usage
  durationMs?: number
}

export type UiMessage = {
  id: string
  role: 'user' | 'assistant'
  metadata: UiMetadata
  parts: UiPart[]
}

export function toUiMessages(
  turns: readonly Turn[],
  open: Response | null,
  marks: StepMarks,
): UiMessage[] {
  const messages = turns.map((turn) => {
    switch (turn.kind) {
      case 'user':
        return toUserMessage(turn)
      case 'agent':
        return toOthersMessage(turn.messageId, turn.at, turn.text, turn)
      case 'callback':
        return toOthersMessage(turn.callback.exchangeId, turn.at, turn.callback.result, {
          from: turn.callback.from,
          exchangeId: turn.callback.exchangeId,
        })
      case 'idle_prompt':
        return toPromptMessage(turn)
      case 'notice':
        return toNoticeMessage(turn.notice, turn.at)
      case 'assistant':
        return toAssistantMessage(turn, turn.end, marks)
    }
  })
  if (open !== null) messages.push(toAssistantMessage(open, null, marks))
  // An answer that has said nothing yet, or never did, is nothing to show.
  return messages.filter(({ parts }) => parts.length > 0)
}

function toUserMessage({ messageId, at, text, attachments, delivery, to }: UserTurn): UiMessage {
  const files = attachments.map((attachment) => ({
    type: 'file' as const,
    mediaType: TEXT_TYPE,
    filename: toFileName(attachment),
    url: toDataUrl(attachment),
  }))
  return {
    id: messageId,
    role: 'user',
    metadata: { createdAt: at, delivery, ...(to === undefined ? {} : { to }) },
    parts: [{ type: 'text', text, state: 'done' }, ...files],
  }
}

/** Another agent is a user to this one; the metadata says who it was. */
const toOthersMessage = (
  id: string,
  createdAt: number,
  text: string,
  { from, exchangeId }: { from: string; exchangeId: string },
): UiMessage => ({
  id,
  role: 'user',
  metadata: { createdAt, from, exchangeId },
  parts: [{ type: 'text', text, state: 'done' }],
})

/** Nobody wrote it, but it stands where a person's message would. */
const toPromptMessage = ({ seq, at, text, missionId, n, of }: IdlePromptTurn): UiMessage => ({
  id: toPromptId(seq),
  role: 'user',
  metadata: { createdAt: at, idlePrompt: { missionId, n, of } },
  parts: [{ type: 'text', text, state: 'done' }],
})

/** Nobody's turn. The assistant's, because a system message would be an instruction to the model. */
const toNoticeMessage = (notice: NoticePart, at: number): UiMessage => ({
  id: noticeId(notice),
  role: 'assistant',
  metadata: { createdAt: at },
  parts: [toAside(notice)],
})

function toAssistantMessage(
  response: Response,
  end: AssistantTurn['end'],
  marks: StepMarks,
): UiMessage {
  const { responseId, at, runId, model, agent, parts } = response
  const isCut = parts.some((part) => isTextPart(part) && part.state === 'interrupted')
  return {
    id: responseId,
    role: 'assistant',
    metadata: {
      createdAt: at,
      runId,
      model,
      agent,
      ...(isCut ? { interrupted: true } : {}),
      ...(end === null ? {} : toMetadata(end)),
    },
    parts: toSteps(parts, marks).flatMap((step): UiPart[] => {
      const shown = step.parts.flatMap(toParts)
      return contentOf(step).length === 0 ? shown : [{ type: 'step-start' }, ...shown]
    }),
  }
}

const toMetadata = ({
  outcome,
  stopReason,
  usage,
  durationMs,
}: NonNullable<AssistantTurn['end']>) => ({
  outcome,
  stopReason,
  usage,
  durationMs,
})

function toParts(part: Part): UiPart[] {
  if (part.kind === 'tool') return [toToolPart(part)]
  if (!isTextPart(part)) return [toAside(part)]
  const state = part.state === 'open' ? 'streaming' : 'done'
  // A thought whose words the provider kept back.
  if (part.text === '' && state === 'done') return []
  return [{ type: part.kind === 'text' ? 'text' : 'reasoning', text: part.text, state }]
}

const noticeId = ({ seq }: NoticePart): string => `notice.${seq}`

function toAside(part: NoticePart | ChangesPart): UiPart {
  if (part.kind === 'changes') {
    const { kind: _kind, ...data } = part
    return { type: 'data-changes', id: part.checkpointId, data }
  }
  const { kind: _kind, seq: _seq, ...data } = part
  return { type: 'data-notice', id: noticeId(part), data }
}

function toToolPart(tool: ToolPart): UiToolPart {
  const { callId: toolCallId, toolName, truncated, question } = tool
  const metadata = {
    ...(truncated === true ? { truncated } : {}),
    ...(question === undefined ? {} : { question }),
  }
  return {
    type: 'dynamic-tool',
    toolCallId,
    toolName,
    ...(Object.keys(metadata).length === 0 ? {} : { toolMetadata: metadata }),
    ...toToolState(tool),
  }
}

function toToolState(tool: ToolPart): ToolState {
  const { decision, error, result } = tool
  if (tool.status === 'preparing') return { state: 'input-streaming', rawInput: tool.arguments }
  const input = parseArguments(tool.arguments)
  if (decision?.status === 'pending') {
    return { state: 'approval-requested', input, approval: toApproval(tool, decision) }
  }
  const isRefused = decision !== undefined && decision.status !== 'accepted'
  if (isRunning(tool)) {
    if (decision === undefined) return { state: 'input-available', input }
    const approval = { ...toApproval(tool, decision), approved: !isRefused }
    return { state: 'approval-responded', input, approval }
  }
  if (isRefused || tool.status === 'denied') {
    const approval = { ...toApproval(tool, decision), approved: false as const }
    // Without a word of the person, what the call was answered with says why.
    const reason = approval.reason ?? error?.message
    if (reason !== undefined) approval.reason = reason
    return { state: 'output-denied', input, approval }
  }
  const approved =
    decision === undefined
      ? {}
      : { approval: { ...toApproval(tool, decision), approved: true as const } }
  if (tool.status === 'success') {
    return { state: 'output-available', input, output: result ?? '', ...approved }
  }
  return { state: 'output-error', input, errorText: toErrorText(tool), ...approved }
}

/** Where nobody was asked, the call names what was decided, and no person decided it. */
function toApproval(
  { callId }: ToolPart,
  decision: DecisionView | undefined,
): Omit<Approval<never>, 'approved'> {
  if (decision === undefined) return { id: callId, isAutomatic: true }
  const { decisionId, reason, note, auto } = decision
  return {
    id: decisionId ?? callId,
    ...(reason === '' ? {} : { requestReason: reason }),
    ...(note === undefined ? {} : { reason: note }),
    ...(auto === true ? { isAutomatic: true } : {}),
    descriptor: decision,
  }
}

function toErrorText({ error, result }: ToolPart): string {
  const message = error?.message ?? 'The call failed.'
  return result === undefined || result === '' ? message : `${message}\nOutput so far:\n${result}`
}

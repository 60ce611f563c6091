// What the tools of a run are doing, read off the response as it is shown: so a reload says the
// same as the live page, and there is nothing to keep in step.

import type { Part, Response, TextPart, ToolPart, Turn } from '#protocol/turns'
import type { SessionView } from './types.ts'

export type ToolNotification = {
  id: string
  toolName: string
  status: 'preparing' | 'executing' | 'complete'
  /** JSON text, incomplete while preparing. */
  arguments: string
}

export type ToolStatistics = { activeCount: number; completedCount: number; totalCount: number }

export type ToolActivity = { notifications: ToolNotification[]; statistics: ToolStatistics }

/** A thought is shown as thinking, never as a tool (TOOL5). */
const THINK = 'think'

/** In the order of the calls. Several responses: a message that steered the run split it. */
export function toolActivity(responses: readonly Pick<Response, 'parts'>[]): ToolActivity {
  const notifications = responses.flatMap(({ parts }) =>
    parts.flatMap((part) => toNotification(part, parts)),
  )
  const counted = notifications.filter(({ toolName }) => toolName !== THINK)
  const completedCount = counted.filter(({ status }) => status === 'complete').length
  const totalCount = counted.length
  return {
    notifications,
    statistics: { activeCount: totalCount - completedCount, completedCount, totalCount },
  }
}

/** Of the run that is shown last. */
export const latestToolActivity = (view: Pick<SessionView, 'state' | 'open'>): ToolActivity =>
  toolActivity(latestRun(view.state.turns, view.open))

export const activeNotifications = ({ notifications }: ToolActivity): ToolNotification[] =>
  notifications.filter(({ status }) => status !== 'complete')

function latestRun(turns: readonly Turn[], open: Response | null): Response[] {
  const responses = open === null ? [] : [open]
  for (let i = turns.length - 1; i >= 0; i--) {
    const turn = turns[i]!
    if (turn.kind !== 'assistant') continue
    if (turn.runId !== (responses[0] ?? turn).runId) break
    responses.unshift(turn)
  }
  return responses
}

function toNotification(part: Part, parts: readonly Part[]): ToolNotification[] {
  if (part.kind === 'tool') return part.toolName === THINK ? ofThink(part, parts) : ofTool(part)
  return part.kind === 'thinking' && part.callId !== undefined ? ofThought(part, part.callId) : []
}

/** Whatever came first: a call that was never seen preparing is as proper as any (TOOL7). */
function ofTool({ callId, toolName, status, arguments: args }: ToolPart): ToolNotification[] {
  return [{ id: callId, toolName, status: PHASES[status], arguments: args }]
}

const PHASES: Record<ToolPart['status'], ToolNotification['status']> = {
  preparing: 'preparing',
  pending: 'executing',
  success: 'complete',
  error: 'complete',
  interrupted: 'complete',
  denied: 'complete',
}

/** There from the start of the thought until its first text. */
function ofThought({ text, state }: TextPart, callId: string): ToolNotification[] {
  if (text !== '' || state !== 'open') return []
  return [{ id: callId, toolName: THINK, status: 'preparing', arguments: '' }]
}

/** A backend that announces it as a tool: only until its thought begins, and never complete. */
function ofThink(part: ToolPart, parts: readonly Part[]): ToolNotification[] {
  const hasThought = parts.some((p) => p.kind === 'thinking' && p.callId === part.callId)
  if (hasThought || part.status !== 'preparing') return []
  return [{ id: part.callId, toolName: THINK, status: 'preparing', arguments: part.arguments }]
}

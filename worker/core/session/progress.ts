// What a child tells its parent while it works: what waits for a person in it at once, what it does
// now and then.

import { describeTool } from '#protocol/describe-tool'
import { PROGRESS_MS } from '#protocol/limits'
import type { HotState, SessionState } from '#protocol/state'
import type { ToolPart } from '#protocol/turns'
import { statusOfSession, toInbox } from '#protocol/summary'
import { countCalls } from './exchanges.ts'
import type { Mail } from './letters.ts'

type Progress = Extract<Mail['letter'], { type: 'child_progress' }>

/** Of all that waits in a tree of children, what is told: each is part of every row above. */
const TOLD_WAITS = 20

/** null: the active run works for no parent. */
function toProgress(state: SessionState): { to: string; progress: Progress } | null {
  const { run, session } = state
  if (run.status !== 'running' || run.exchangeId !== undefined) return null
  const parent = session.origin?.parent
  if (parent === undefined || run.parentRunId !== parent.runId) return null
  const progress: Progress = {
    type: 'child_progress',
    childRunId: run.runId,
    status: statusOfSession(state) === 'waiting' ? 'waiting' : 'running',
    activity: describeActivity(state),
    tools: countCalls(state),
    waits: waitsOf(state),
  }
  return { to: parent.sessionId, progress }
}

/** Its own, and those of its children. */
const waitsOf = (state: HotState): Progress['waits'] =>
  [...toInbox(state), ...state.children.flatMap(({ waits }) => waits)].slice(0, TOLD_WAITS)

function describeActivity({ open }: SessionState): string {
  const tool = open?.parts.findLast((part): part is ToolPart => part.kind === 'tool')
  return tool === undefined ? '' : describeTool(tool).text
}

export class ProgressTeller {
  private toldAt = -Infinity

  /** `isBusy`: an earlier word is still on its way; only what a person waits for is worth another. */
  tell(before: SessionState, after: SessionState, now: number, isBusy: boolean): Mail[] {
    const told = toProgress(after)
    if (told === null) return []
    const { to, progress } = told
    const last = toProgress(before)?.progress
    const isUrgent =
      last !== undefined &&
      (last.status !== progress.status || !isSameWaits(last.waits, progress.waits))
    const isNews = progress.tools > 0 && last?.tools !== progress.tools
    if (!isUrgent && (!isNews || isBusy || now - this.toldAt < PROGRESS_MS)) return []
    this.toldAt = now
    return [{ to, letter: progress }]
  }
}

const isSameWaits = (a: Progress['waits'], b: Progress['waits']): boolean =>
  a.length === b.length && a.every(({ id }, index) => id === b[index]?.id)

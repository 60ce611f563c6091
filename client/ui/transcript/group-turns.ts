// A message of another agent and the run that answers it are one exchange. Which turns belong to it
// depends on the turns alone, so it is the same live and after a reload.

import type { AgentTurn, Response, Turn } from '#protocol/turns'

export type Reply = Exclude<Turn, AgentTurn>
export type TurnGroup =
  | { kind: 'turn'; turn: Reply }
  /** `isAnswering`: the open response belongs to it. */
  | { kind: 'exchange'; members: readonly [AgentTurn, ...Reply[]]; isAnswering: boolean }

/** The task of a child has no exchange; it carries the id of the run that works on it. */
export const isAnswerTo = (
  { exchangeId }: AgentTurn,
  response: Pick<Response, 'exchangeId' | 'runId'>,
): boolean => response.exchangeId === exchangeId || response.runId === exchangeId

/** `open`: the response in the making. */
export function groupTurns(
  turns: readonly Turn[],
  open: Pick<Response, 'exchangeId' | 'runId'> | null,
): TurnGroup[] {
  const groups: TurnGroup[] = []
  for (let at = 0; at < turns.length; at++) {
    const turn = turns[at]!
    if (turn.kind !== 'agent') {
      groups.push({ kind: 'turn', turn })
      continue
    }
    const { end, isAnswering } = findEnd(turns, at, turn, open)
    const rest = turns.slice(at + 1, end) as Reply[]
    groups.push({ kind: 'exchange', members: [turn, ...rest], isAnswering })
    at = end - 1
  }
  return groups
}

/** What was said to the run while it answered is between its answers, and so part of it. */
function findEnd(
  turns: readonly Turn[],
  at: number,
  turn: AgentTurn,
  open: Pick<Response, 'exchangeId' | 'runId'> | null,
): { end: number; isAnswering: boolean } {
  let end = at + 1
  for (let next = end; next < turns.length; next++) {
    const other = turns[next]!
    if (other.kind !== 'assistant' && other.kind !== 'agent') continue
    if (other.kind === 'agent' || !isAnswerTo(turn, other)) return { end, isAnswering: false }
    end = next + 1
  }
  return open !== null && isAnswerTo(turn, open)
    ? { end: turns.length, isAnswering: true }
    : { end, isAnswering: false }
}

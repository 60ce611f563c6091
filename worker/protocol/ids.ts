// Ids say where they belong, so that nothing has to be stored to find the way back:
// a run id names its session and the seq of its `run_started`, a response id names its run, the id
// of a decision, a question or an exchange its session and the seq at which it was asked.

const SESSION_ID = /^[A-Za-z0-9_-]{16,64}$/
const RUN_ID = /^([A-Za-z0-9_-]{16,64})\.(\d{1,15})$/

export const isSessionId = (text: string): boolean => SESSION_ID.test(text)

export const toRunId = (sessionId: string, startedSeq: number): string =>
  `${sessionId}.${startedSeq}`

export function parseRunId(runId: string): { sessionId: string; startedSeq: number } | null {
  const match = RUN_ID.exec(runId)
  return match ? { sessionId: match[1]!, startedSeq: Number(match[2]) } : null
}

export const toResponseId = (runId: string, n: number): string => `${runId}.${n}`

export function parseResponseId(responseId: string): { runId: string; n: number } {
  const dot = responseId.lastIndexOf('.')
  return { runId: responseId.slice(0, dot), n: Number(responseId.slice(dot + 1)) }
}

const WAIT_ID = /^([A-Za-z0-9_-]{16,64})\.[dq](\d{1,15})$/

export const toDecisionId = (sessionId: string, seq: number): string => `${sessionId}.d${seq}`
/** Of an exchange, in the session that began it. */
export const toExchangeId = (sessionId: string, seq: number): string => `${sessionId}.x${seq}`
export const toQuestionId = (sessionId: string, seq: number): string => `${sessionId}.q${seq}`

export function parseWaitId(id: string): { sessionId: string; seq: number } | null {
  const match = WAIT_ID.exec(id)
  return match ? { sessionId: match[1]!, seq: Number(match[2]) } : null
}

/** One for each run that writes. */
export const toCheckpointId = (startedSeq: number): string => `c${startedSeq}`

// What a changed call would be judged as: asked of the server, which alone knows the rules, a moment
// after the last key. Until it has said, nobody knows.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Severity } from '#protocol/decision-events'
import { parseWaitId } from '#protocol/ids'
import { ApiError } from '../../sdk/errors.ts'
import { api } from '../state/client.ts'

const JUDGE_MS = 400

/** `severity` null: it would be refused. */
export type Judgement = { severity: Severity | null; reason: string }

/** `command` null: it is as the agent asked for it. */
export function useJudged(decisionId: string, command: string | null): Judgement | null {
  const known = useSignal<{ command: string; judgement: Judgement } | null>(null)
  useEffect(() => {
    // A child's card stands at its parent, too.
    const sessionId = parseWaitId(decisionId)?.sessionId ?? null
    if (command === null || command.trim() === '' || sessionId === null) return undefined
    const timer = setTimeout(() => {
      judge(sessionId, decisionId, command)
        .then((judgement) => (known.value = { command, judgement }))
        // It is judged when it is accepted in any case.
        .catch(() => {})
    }, JUDGE_MS)
    return () => clearTimeout(timer)
  }, [command])
  const { value } = known
  return value !== null && value.command === command ? value.judgement : null
}

async function judge(sessionId: string, decisionId: string, command: string): Promise<Judgement> {
  try {
    return await api.judge(sessionId, decisionId, { command })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_edit') {
      return { severity: null, reason: error.message }
    }
    throw error
  }
}

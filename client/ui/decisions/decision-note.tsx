// What became of a decision, in one line: the same live and after a reload.

import type { DecisionView } from '#protocol/turns'
import { formatJson } from '../format.ts'
import { Icon } from '../shell/icon.tsx'
import { nameOf } from '../state/decisions.ts'
import { formatTime, SEVERITY_WORDS, toSentence } from './words.ts'

const WHAT_CHARS = 300

function verdictOf({ status, auto, by }: DecisionView): string {
  switch (status) {
    case 'accepted':
      return auto === true ? 'Approved by your setting or rule' : `Accepted by ${nameOf(by)}`
    case 'rejected':
      return auto === true ? 'Refused by your rule' : `Rejected by ${nameOf(by)}`
    case 'expired':
      return 'Nobody decided in time'
    case 'cancelled':
      return 'Nobody decided: the run was stopped'
    case 'pending':
      return ''
  }
}

/** What ran instead of what was asked for. */
function editOf({ edits }: DecisionView): string {
  const text = edits?.command ?? edits?.arguments ?? ''
  const line = text === edits?.arguments ? formatJson(text).replaceAll(/\s+/g, ' ') : text
  return line.length > WHAT_CHARS ? `${line.slice(0, WHAT_CHARS)}…` : line
}

const SCOPE_WORDS = { once: '', session: 'from now on in this chat', always: 'always' } as const

export function DecisionNote({ decision }: { decision: DecisionView }) {
  const { status, auto, at, scope = 'once', note, edits, severity, reason } = decision
  const edited = editOf(decision)
  const details = [
    at !== undefined && auto !== true ? formatTime(at) : '',
    edits === undefined ? '' : 'with changes',
    auto === true ? SEVERITY_WORDS[severity].toLowerCase() : SCOPE_WORDS[scope],
  ].filter((words) => words !== '')
  return (
    <p class="decision-note" data-verdict={status} title={toSentence(reason)}>
      <Icon name={status === 'accepted' ? 'check' : 'denied'} />
      <span>
        {[verdictOf(decision), ...details].join(', ')}
        {note !== undefined && <q>{note}</q>}
        {edited !== '' && <code>{edited}</code>}
      </span>
    </p>
  )
}

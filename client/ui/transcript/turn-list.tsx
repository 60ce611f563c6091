import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import type { Turn } from '#protocol/state'
import { open, openId, turns } from '../state/session.ts'
import { AssistantMessage } from './assistant-message.tsx'
import { Notice } from './notice.tsx'
import { UserMessage } from './user-message.tsx'

function keyOfTurn(turn: Turn): string {
  switch (turn.kind) {
    case 'user':
      return `user:${turn.messageId}`
    case 'assistant':
      return turn.responseId
    case 'notice':
      return `notice:${turn.notice.seq}`
  }
}

/** null: the open response, read from its signal until it is settled and handed in as a turn.
 * Both are the same component at the same key, so settling renders into the DOM that is there. */
function TurnView({ turn }: { turn: Turn | null }) {
  if (turn?.kind === 'user') return <UserMessage turn={turn} />
  if (turn?.kind === 'notice') {
    return (
      <div class="turn note" data-turn={turn.notice.seq}>
        <Notice notice={turn.notice} />
      </div>
    )
  }
  const response = turn ?? open.value
  return response && <AssistantMessage response={response} />
}

/** Depends on which turns there are, never on what the open one says. A turn keeps its vnode, and
 * Preact skips a vnode it has seen: adding the thousandth turn renders one. */
export function TurnList() {
  const vnodes = useRef(new WeakMap<Turn, VNode>())
  const rows = turns.value.map((turn) => {
    const held = vnodes.current.get(turn)
    if (held !== undefined) return held
    const vnode = <TurnView key={keyOfTurn(turn)} turn={turn} />
    vnodes.current.set(turn, vnode)
    return vnode
  })
  const id = openId.value
  // One list: outside of it the open turn would be another place, and be built again on settling.
  if (id !== null) rows.push(<TurnView key={id} turn={null} />)
  return <>{rows}</>
}

import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import type { Turn } from '#protocol/turns'
import { open, openId, turns } from '../state/session.ts'
import { AgentCallback } from './agent-callback.tsx'
import { AssistantMessage } from './assistant-message.tsx'
import { IdlePrompt } from './idle-prompt.tsx'
import { ExchangeTurn } from './exchange-turn.tsx'
import { groupTurns, type Reply, type TurnGroup } from './group-turns.ts'
import { Notice } from './notice.tsx'
import { UserMessage } from './user-message.tsx'

function keyOfTurn(turn: Turn): string {
  switch (turn.kind) {
    case 'user':
    case 'agent':
      return `${turn.kind}:${turn.messageId}`
    case 'callback':
      return `callback:${turn.seq}`
    case 'idle_prompt':
      return `prompt:${turn.seq}`
    case 'assistant':
      return turn.responseId
    case 'notice':
      return `notice:${turn.notice.seq}`
  }
}

/** null: the open response, read from its signal until it is settled and handed in as a turn.
 * Both are the same component at the same key, so settling renders into the DOM that is there. */
function TurnView({ turn }: { turn: Reply | null }) {
  if (turn?.kind === 'user') return <UserMessage turn={turn} />
  if (turn?.kind === 'callback') return <AgentCallback turn={turn} />
  if (turn?.kind === 'idle_prompt') return <IdlePrompt turn={turn} />
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

type Exchange = Extract<TurnGroup, { kind: 'exchange' }>

const isSameExchange = (a: Exchange, b: Exchange): boolean =>
  a.members.length === b.members.length && !a.isAnswering && !b.isAnswering

/** Turns keep their vnodes, and Preact skips a vnode it has seen: adding the thousandth renders one. */
class VNodes {
  readonly #turns = new WeakMap<Turn, VNode>()
  readonly #exchanges = new WeakMap<Turn, { group: Exchange; vnode: VNode }>()

  of(group: TurnGroup): VNode {
    return group.kind === 'turn' ? this.#ofTurn(group.turn) : this.#ofExchange(group)
  }

  #ofTurn(turn: Reply): VNode {
    const held = this.#turns.get(turn)
    if (held !== undefined) return held
    const vnode = <TurnView key={keyOfTurn(turn)} turn={turn} />
    this.#turns.set(turn, vnode)
    return vnode
  }

  #ofExchange(group: Exchange): VNode {
    const [first, ...rest] = group.members
    const held = this.#exchanges.get(first)
    if (held !== undefined && isSameExchange(held.group, group)) return held.vnode
    const { members, isAnswering } = group
    const rows = rest.map((turn) => this.#ofTurn(turn))
    if (isAnswering) rows.push(<TurnView key={openId.peek()} turn={null} />)
    const vnode = (
      <ExchangeTurn key={keyOfTurn(first)} members={members} isAnswering={isAnswering}>
        {rows}
      </ExchangeTurn>
    )
    this.#exchanges.set(first, { group, vnode })
    return vnode
  }
}

/** Depends on which turns there are, never on what the open one says. */
export function TurnList() {
  const vnodes = useRef<VNodes | null>(null)
  vnodes.current ??= new VNodes()
  const id = openId.value
  const groups = groupTurns(turns.value, id === null ? null : open.peek())
  const rows = groups.map((group) => vnodes.current!.of(group))
  const last = groups.at(-1)
  const isInside = last?.kind === 'exchange' && last.isAnswering
  // One list: outside of it the open turn would be another place, and be built again on settling.
  if (id !== null && !isInside) rows.push(<TurnView key={id} turn={null} />)
  return <>{rows}</>
}

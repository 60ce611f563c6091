// The list as a tree: a child stands below its parent, and what is over and not looked at is folded.

import type { SessionSummary } from '#protocol/http'

/** `children`: those that are shown. */
export type Branch = {
  session: SessionSummary
  children: readonly Branch[]
  /** Of its children, shown or not. */
  count: number
  isOpen: boolean
  /** Of an open branch: children that are left out. */
  hidden: number
}

/** What a person chose for a branch; without a choice it is open while something goes on in it. */
export type Unfolding = 'folded' | 'open' | 'all'

type View = { openId: string | null; chosen: ReadonlyMap<string, Unfolding> }

/** More children than these would bury the chats around them. */
const FEW = 5

/** In the order given. One whose parent is not there, on another page perhaps, stands by itself. */
export function nestSessions(sessions: readonly SessionSummary[], view: View): Branch[] {
  const known = new Set(sessions.map(({ id }) => id))
  const childrenOf = new Map<string, SessionSummary[]>()
  const roots: SessionSummary[] = []
  for (const session of sessions) {
    const { parentId, pinned } = session
    if (parentId === undefined || pinned || !known.has(parentId)) roots.push(session)
    else childrenOf.set(parentId, [...(childrenOf.get(parentId) ?? []), session])
  }
  return roots.map((session) => toBranch(session, childrenOf, view))
}

function toBranch(
  session: SessionSummary,
  childrenOf: ReadonlyMap<string, readonly SessionSummary[]>,
  view: View,
): Branch {
  const held = childrenOf.get(session.id) ?? []
  const all = held
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    .map((child) => toBranch(child, childrenOf, view))
  const chosen = view.chosen.get(session.id)
  const isOpen =
    chosen === undefined
      ? session.id === view.openId || all.some((child) => urgencyOf(child, view) > 0)
      : chosen !== 'folded'
  const children = isOpen ? (chosen === 'all' ? all : pickFew(all, view)) : []
  const hidden = isOpen ? all.length - children.length : 0
  return { session, children, count: all.length, isOpen: isOpen && all.length > 0, hidden }
}

/** The most urgent, in the order in which they were started. */
function pickFew(all: readonly Branch[], view: View): readonly Branch[] {
  if (all.length <= FEW) return all
  const ranked = all.toSorted((a, b) => urgencyOf(b, view) - urgencyOf(a, view)).slice(0, FEW)
  return all.filter((branch) => ranked.includes(branch))
}

/** 0: nobody need look. A branch is as urgent as the most urgent in it. */
function urgencyOf({ session, children, isOpen }: Branch, view: View): number {
  const own = session.id === view.openId ? 3 : URGENCY[session.status]
  const inside = isOpen ? children.map((child) => urgencyOf(child, view)) : []
  return Math.max(own, ...inside)
}

const URGENCY: Record<SessionSummary['status'], number> = {
  idle: 0,
  error: 0,
  running: 1,
  waiting: 2,
}

/** Every session that is shown, from top to bottom. */
export const flatten = (branches: readonly Branch[]): SessionSummary[] =>
  branches.flatMap(({ session, children }) => [session, ...flatten(children)])

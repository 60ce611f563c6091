// Other session objects, as a session sees them.

import type { Peers } from '../core/session/session-deps.ts'
import { ToolFailure } from '../core/tools/tool.ts'
import type { FileEntry, Workspace } from '../core/workspace/workspace.ts'
import type { ChildOf } from '../core/session/run-workspace.ts'
import type { Env } from '../env.ts'
import type { SessionRpc } from './rpc.ts'

export function peersOf(env: Env): Peers {
  const session = (id: string): SessionRpc => env.SESSION.getByName(id)
  return {
    deliver: (id, owner, envelope) => session(id).deliver(owner, id, envelope),
    isWanted: (id, owner, claim) => session(id).isWanted(owner, claim),
    standing: (id, owner, claim) => session(id).standing(owner, claim),
    refuse: (id, owner, exchangeId, why) => session(id).refuse(owner, exchangeId, why),
    resend: (id, owner, to) => session(id).resend(owner, to),
    inheritance: (id, owner) => session(id).inheritance(owner),
    bound: (id, owner) => session(id).bound(owner),
    summary: async (id, owner) => {
      const found = await session(id).summary(owner)
      return found.ok ? found.value : null
    },
    command: (id, owner, command, reason) =>
      session(id).command(owner, command, reason === 'api' ? 'api' : undefined),
    remove: async (id, owner) => void (await session(id).remove(owner)),
    restore: async (id, owner) => void (await session(id).restore(owner)),
    workspace: (id, owner, child) => openWorkspace(session(id), owner, child),
  }
}

/** The tree as it is now; what is read and written goes to the session that has it. */
async function openWorkspace(
  session: SessionRpc,
  owner: string,
  child: ChildOf,
): Promise<Workspace> {
  const list = async (): Promise<readonly FileEntry[]> => {
    const files = await reach(session.childFiles(owner, child))
    if (files === null) throw new ToolFailure(RUN_OVER, 'tool_interrupted')
    return files
  }
  let entries = await list()
  return {
    list: () => entries,
    stat: (path) => entries.find((entry) => entry.path === path) ?? null,
    read: (path) => reach(session.childRead(owner, child, path)),
    apply: async (changes) => {
      const written = await reach(session.childWrite(owner, child, changes))
      if (!written.ok) throw new ToolFailure(written.message, written.code)
      entries = await list()
    },
  }
}

// Also for a person who goes on with a child: whose checkpoint its changes belonged to is over.
const RUN_OVER =
  'The run that this was made for is over; its files are changed from the chat above it.'

async function reach<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch {
    throw new ToolFailure('The workspace cannot be reached now. Try again.')
  }
}

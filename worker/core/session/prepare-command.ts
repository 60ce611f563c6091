// Which commands have to be prepared before they can be decided, and how.

import type { Command } from '#protocol/commands'
import type { SessionState } from '#protocol/state'
import type { Agent } from '../agents/agent.ts'
import type { Assist } from './answers.ts'
import { prepareFileCommand } from './file-commands.ts'
import { needsPreparing, prepareDecision, type PrepareDeps } from './prepare-decision.ts'
import type { SessionFiles } from './session-files.ts'

export type CommandDeps = Pick<PrepareDeps, 'tools' | 'judge'> & {
  files: SessionFiles
  state: () => SessionState
  now: () => number
  patterns: () => readonly string[]
  /** Whether it is there without being looked up: most are built in. */
  isBuiltIn: (name: string) => boolean
  findAgent: (name: string) => Promise<Agent | null>
}

/** null: it can be decided at once. */
export function preparationOf(
  command: Command,
  { files, state, now, patterns, isBuiltIn, findAgent, ...deps }: CommandDeps,
): (() => Promise<Assist>) | null {
  switch (command.type) {
    case 'keep':
    case 'undo':
    case 'redo':
    case 'restore':
      return () => prepareFileCommand(files, command)
    case 'decide':
      if (!needsPreparing(command)) return null
      return () =>
        prepareDecision({ ...deps, state: state(), now: now(), patterns: patterns() }, command)
    case 'send': {
      const { to } = command
      if (to === undefined) return null
      return async () => ({ type: 'agent', agent: await findAgent(to) })
    }
    case 'configure': {
      const { agent } = command
      if (agent === undefined || isBuiltIn(agent)) return null
      return async () => ({ type: 'agent', agent: await findAgent(agent) })
    }
    default:
      return null
  }
}

// A world whose sessions have the real tools and the built-in agents, and whose models the test plays.

import { BUILTIN_AGENTS } from '../../core/agents/agent.ts'
import type { SessionDeps } from '../../core/session/session-deps.ts'
import { createBuiltinTools } from '../../core/tools/builtin.ts'
import { createToolBox } from '../../core/tools/toolbox.ts'
import type { ModelCall } from './scripted-model.ts'
import type { SessionHarness } from './session-harness.ts'
import { World } from './world.ts'

export class AgentWorld extends World {
  private calls = 0

  /** A person writes. */
  async ask(harness: SessionHarness, text = 'go'): Promise<void> {
    harness.command({ type: 'send', text })
    await this.settle()
  }

  /** The model makes one call. */
  call(harness: SessionHarness, toolName: string, input: Record<string, unknown>): Promise<void> {
    return this.callAll(harness, [[toolName, input]])
  }

  /** The model makes several calls at once. */
  async callAll(
    harness: SessionHarness,
    calls: readonly (readonly [toolName: string, input: Record<string, unknown>])[],
  ): Promise<void> {
    this.emitCalls(harness.model.current, calls)
    await this.settle()
  }

  protected emitCalls(
    call: ModelCall,
    calls: readonly (readonly [toolName: string, input: Record<string, unknown>])[],
  ): void {
    for (const [toolName, input] of calls) {
      const id = `k${++this.calls}`
      call.emit({ type: 'tool_call', id, toolName, arguments: JSON.stringify(input) })
    }
    call.finish('tool_calls')
  }

  /** The model ends its answer with these words. */
  async say(harness: SessionHarness, text: string): Promise<void> {
    harness.model.current.text(text)
    harness.model.current.finish()
    await this.settle()
  }
}

export const agentDeps = (): Pick<SessionDeps, 'agents' | 'tools'> => ({
  agents: {
    find: (name) => BUILTIN_AGENTS.find((agent) => agent.name === name) ?? null,
    load: async () => null,
    list: async () => BUILTIN_AGENTS,
  },
  tools: createToolBox({
    tools: createBuiltinTools({
      fetch: () => Promise.reject(new Error('offline')),
      allowPrivate: false,
    }),
    servers: null,
  }),
})

export const newAgentWorld = (overrides: Partial<SessionDeps> = {}): AgentWorld =>
  new AgentWorld({ ...agentDeps(), ...overrides })

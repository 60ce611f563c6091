// One call of a registry as the loop would make it, without the policy in between.

import type { ToolContext, ToolOutcome, ToolRegistry } from '../../core/tools/tool.ts'
import { MemoryWorkspace } from './memory-workspace.ts'

export async function runCall(
  registry: ToolRegistry,
  call: { toolName: string; arguments: string },
  context: Omit<ToolContext, 'workspace'> & Partial<Pick<ToolContext, 'workspace'>>,
): Promise<ToolOutcome> {
  const prepared = registry.prepare({ callId: 'call', ...call })
  switch (prepared.do) {
    case 'settle':
      return prepared.outcome
    case 'run':
      return prepared.run({ workspace: new MemoryWorkspace(), ...context })
    default:
      throw new Error(`${call.toolName} asks a person`)
  }
}

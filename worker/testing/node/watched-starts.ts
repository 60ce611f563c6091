// Models and tools that say when they are started: what may not begin can be seen to.

import type { Model } from '../../core/session/model.ts'
import type { ToolBox, ToolRegistry } from '../../core/tools/tool.ts'

export const watchModel = (model: Model, onStart: () => void): Model => ({
  id: model.id,
  info: model.info,
  stream: (...args) => {
    onStart()
    return model.stream(...args)
  },
})

export const watchTools = (box: ToolBox, onStart: () => void): ToolBox => ({
  isRepeatable: (toolName) => box.isRepeatable(toolName),
  inspect: (toolName, args) => box.inspect(toolName, args),
  open: async (selection, signal) => {
    const { registry, warnings } = await box.open(selection, signal)
    return { registry: watchRegistry(registry, onStart), warnings }
  },
})

const watchRegistry = (registry: ToolRegistry, onStart: () => void): ToolRegistry => ({
  specs: () => registry.specs(),
  isRepeatable: (toolName) => registry.isRepeatable(toolName),
  prepare: (call) => {
    const prepared = registry.prepare(call)
    if (prepared.do !== 'run') return prepared
    return {
      ...prepared,
      run: (context) => {
        onStart()
        return prepared.run(context)
      },
    }
  },
})

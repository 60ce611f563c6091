// Models and tools that say when they are started: what may not begin can be seen to.

import type { Model } from '../../core/session/model.ts'
import type { ToolBox, ToolOutcome, ToolRegistry } from '../../core/tools/tool.ts'

export const watchModel = (model: Model, onStart: () => void): Model => ({
  id: model.id,
  info: model.info,
  stream: (...args) => {
    onStart()
    return model.stream(...args)
  },
})

/** `done`: the shell takes turns of its own, so a test that needs its end waits for that. */
type OnStart = (done: Promise<ToolOutcome>) => void

export const watchTools = (box: ToolBox, onStart: OnStart): ToolBox => ({
  isRepeatable: (toolName) => box.isRepeatable(toolName),
  inspect: (toolName, args) => box.inspect(toolName, args),
  open: async (selection, signal) => {
    const { registry, warnings } = await box.open(selection, signal)
    return { registry: watchRegistry(registry, onStart), warnings }
  },
})

const watchRegistry = (registry: ToolRegistry, onStart: OnStart): ToolRegistry => ({
  specs: () => registry.specs(),
  isRepeatable: (toolName) => registry.isRepeatable(toolName),
  prepare: (call) => {
    const prepared = registry.prepare(call)
    if (prepared.do !== 'run') return prepared
    return {
      ...prepared,
      run: (context) => {
        const done = prepared.run(context)
        onStart(done)
        return done
      },
    }
  },
})

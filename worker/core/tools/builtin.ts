import { agentsList } from './agents-list.ts'
import { agentsMessage } from './agents-message.ts'
import { agentsSpawn } from './agents-spawn.ts'
import { askUser } from './ask-user.ts'
import { bashTool } from './bash.ts'
import { calculate } from './calculate.ts'
import { countdown } from './countdown.ts'
import { currentTime } from './current-time.ts'
import { FILE_TOOLS } from './file-tools.ts'
import { finalizeTask } from './finalize-task.ts'
import { missionDone } from './mission-done.ts'
import type { AnyTool } from './registry.ts'
import { textStats } from './text-stats.ts'
import { think } from './think.ts'
import { updatePlan } from './update-plan.ts'
import { createWeather } from './weather.ts'
import { createWebFetch } from './web-fetch.ts'
import { createWebPost } from './web-post.ts'
import type { WebOptions } from './web-request.ts'

/** What needs nothing from outside. */
export const BUILTIN_TOOLS: readonly AnyTool[] = [
  currentTime,
  calculate,
  textStats,
  countdown,
  think,
  askUser,
  updatePlan,
  finalizeTask,
  agentsList,
  agentsMessage,
  agentsSpawn,
  missionDone,
]

export function createBuiltinTools(options: WebOptions): readonly AnyTool[] {
  return [
    ...BUILTIN_TOOLS,
    ...FILE_TOOLS,
    bashTool,
    createWeather(options),
    createWebFetch(options),
    createWebPost(options),
  ]
}

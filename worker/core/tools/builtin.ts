import { calculate } from './calculate.ts'
import { countdown } from './countdown.ts'
import { currentTime } from './current-time.ts'
import type { AnyTool } from './registry.ts'
import { textStats } from './text-stats.ts'
import { think } from './think.ts'

export const BUILTIN_TOOLS: readonly AnyTool[] = [
  currentTime,
  calculate,
  textStats,
  countdown,
  think,
]

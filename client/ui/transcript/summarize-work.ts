// "Read 3 files, ran 2 commands, 14 s": what a folded piece of work says about itself.

import type { ToolPart } from '#protocol/turns'
import { formatDuration } from '../format.ts'

type Phrase = readonly [verb: string, one: string, many?: string]

const PHRASES: Record<string, Phrase> = {
  bash: ['ran', 'command'],
  read_file: ['read', 'file'],
  write_file: ['wrote', 'file'],
  edit_file: ['edited', 'file'],
  delete_file: ['deleted', 'file'],
  move_file: ['moved', 'file'],
  web_fetch: ['fetched', 'page'],
  web_post: ['sent', 'request'],
  agents_message: ['asked', 'agent'],
  agents_spawn: ['started', 'child', 'children'],
}
const ANY: Phrase = ['used', 'tool']

/** A shorter time says nothing about the work. */
const WORTH_SAYING_MS = 100

export function summarizeWork(tools: readonly ToolPart[]): string {
  const counts = new Map<Phrase, number>()
  for (const tool of tools) {
    // Nobody ran what was not allowed.
    if (tool.status === 'denied') continue
    const phrase = Object.hasOwn(PHRASES, tool.toolName) ? PHRASES[tool.toolName]! : ANY
    counts.set(phrase, (counts.get(phrase) ?? 0) + 1)
  }
  const phrases = [...counts].map(
    ([[verb, one, many = `${one}s`], count]) => `${verb} ${count} ${count === 1 ? one : many}`,
  )
  const failed = tools.filter(({ status }) => status === 'error').length
  if (failed > 0) phrases.push(`${failed} failed`)
  const denied = tools.filter(({ status }) => status === 'denied').length
  if (denied > 0) phrases.push(`${denied} not allowed`)
  const took = spanOf(tools)
  if (took >= WORTH_SAYING_MS) phrases.push(formatDuration(took))
  const text = phrases.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** From the first call's start to the last one's end, by the log's own times. */
function spanOf(tools: readonly ToolPart[]): number {
  const starts = tools.map(({ startedAt }) => startedAt)
  const ends = tools.map(({ startedAt, durationMs = 0 }) => startedAt + durationMs)
  return Math.max(...ends) - Math.min(...starts)
}

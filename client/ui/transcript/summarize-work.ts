// "Read 3 files, ran 2 commands, 14 s": what a folded piece of work says about itself.

import type { ToolPart } from '#protocol/state'
import { formatDuration } from '../format.ts'

type Phrase = { verb: string; one: string; many: string }

const PHRASES: Record<string, Phrase> = {
  bash: { verb: 'ran', one: 'command', many: 'commands' },
  read_file: { verb: 'read', one: 'file', many: 'files' },
  write_file: { verb: 'wrote', one: 'file', many: 'files' },
  edit_file: { verb: 'edited', one: 'file', many: 'files' },
  web_fetch: { verb: 'fetched', one: 'page', many: 'pages' },
  agents_message: { verb: 'asked', one: 'agent', many: 'agents' },
  agents_spawn: { verb: 'started', one: 'agent', many: 'agents' },
}
const ANY: Phrase = { verb: 'used', one: 'tool', many: 'tools' }

export function summarizeWork(tools: readonly ToolPart[], durationMs: number | null): string {
  const counts = new Map<Phrase, number>()
  for (const tool of tools) {
    const phrase = PHRASES[tool.toolName] ?? ANY
    counts.set(phrase, (counts.get(phrase) ?? 0) + 1)
  }
  const phrases = [...counts].map(
    ([phrase, count]) => `${phrase.verb} ${count} ${count === 1 ? phrase.one : phrase.many}`,
  )
  if (durationMs !== null) phrases.push(formatDuration(durationMs))
  const text = phrases.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

import type { ToolPart } from '#protocol/turns'
import { Markdown } from '../markdown/markdown.tsx'
import { Icon } from '../shell/icon.tsx'
import { readFinal } from './read-final.ts'

const OUTCOMES = {
  done: { words: 'Task done', icon: 'check' },
  partly: { words: 'Task partly done', icon: 'pause' },
  failed: { words: 'Task not done', icon: 'alert' },
} as const

/** What the agent says at the end of a task: the call itself is the message. */
export function FinalizeBlock({ part }: { part: ToolPart }) {
  const final = part.status === 'success' ? readFinal(part.arguments) : null
  if (final === null) return null
  const { words, icon } = OUTCOMES[final.outcome]
  return (
    <section
      class="final-block"
      data-outcome={final.outcome}
      aria-label={words}
      data-testid="final"
    >
      <header class="card-head">
        <Icon name={icon} />
        <h3>{words}</h3>
      </header>
      <Markdown text={final.summary} isDone />
      {final.open.length > 0 && (
        <>
          <h4>Still open</h4>
          <ul>
            {final.open.map((text, index) => (
              <li key={index}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

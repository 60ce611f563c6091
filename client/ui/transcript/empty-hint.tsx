import { BrandMark } from '../shell/brand-mark.tsx'
import { Icon } from '../shell/icon.tsx'
import { isStarting, sendText } from '../state/commands.ts'

const THINGS_TO_TRY = [
  ['thought', 'Show me thinking', 'Thoughts stream, then fold away'],
  ['tool', 'Run tools in parallel', 'Several calls, each with its own result'],
  ['alert', 'Show a failing tool', 'What an error looks like'],
  ['clock', 'Count down slowly', 'Queue, steer or stop it midway'],
  ['pencil', 'Write a long answer I can interrupt', 'Press Esc and nothing is lost'],
  ['list', 'Show me markdown', 'Tables, code, lists and links'],
] as const

export function EmptyHint() {
  return (
    <div class="empty-hint" data-testid="empty-hint">
      <BrandMark />
      <h2>What shall we talk about?</h2>
      <p>Write below, or try one of these.</p>
      <ul>
        {THINGS_TO_TRY.map(([icon, prompt, what]) => (
          <li key={prompt}>
            <button
              type="button"
              class="try-card"
              disabled={isStarting.value}
              onClick={() => void sendText(prompt)}
            >
              <Icon name={icon} />
              <span class="try-prompt">{prompt}</span>
              <span class="try-what">{what}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

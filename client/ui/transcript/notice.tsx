import type { ComponentChildren } from 'preact'
import type { NoticePart } from '#protocol/turns'
import { memo } from '../memo.ts'
import { Icon } from '../shell/icon.tsx'
import { CallbackDetails } from './callback-details.tsx'

export const Notice = memo(({ notice }: { notice: NoticePart }) => {
  const { code, level, message, fallback, answer } = notice
  // In the words of another run: as it would stand between two runs.
  if (answer) {
    const look = answer.callback.ok ? 'success' : 'error'
    return (
      <div
        class={`agent-callback record notice-answer ${look}`}
        data-part="notice"
        data-code={code}
      >
        <CallbackDetails view={answer} />
      </div>
    )
  }
  // The summary is the model's: people read the messages themselves, and open this if they wonder.
  if (code === 'compacted') {
    return (
      <FoldedNote code={code} icon="info" title="Earlier messages were summarised for the model">
        {message}
      </FoldedNote>
    )
  }
  return (
    <p class={`notice ${level}`} data-part="notice" data-code={code}>
      <Icon name={level === 'error' ? 'alert' : 'warning'} />
      <span>
        {fallback && (
          <b>
            {fallback.preferred} → {fallback.actual}
          </b>
        )}
        {message}
      </span>
    </p>
  )
})

type RetryProps = { parts: readonly NoticePart[]; isNow: boolean }

/** However many tries failed in a row: one line. Once the run goes on, a quiet one. */
export function RetryNote({ parts, isNow }: RetryProps) {
  const last = parts.at(-1)!
  if (isNow) return <Notice notice={last} />
  const times = parts.length === 1 ? 'once' : `${parts.length} times`
  return (
    <FoldedNote code={last.code} icon="warning" title={`Tried again ${times}`}>
      {parts.map(({ message }) => message).join('\n')}
    </FoldedNote>
  )
}

type FoldedProps = { code: string; icon: string; title: string; children: ComponentChildren }

function FoldedNote({ code, icon, title, children }: FoldedProps) {
  return (
    <details class="folded-note" data-part="notice" data-code={code}>
      <summary>
        <Icon name={icon} />
        <span>{title}</span>
        <Icon name="chevron" />
      </summary>
      <div class="note-text">{children}</div>
    </details>
  )
}

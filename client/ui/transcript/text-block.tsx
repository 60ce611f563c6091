import type { TextPart } from '#protocol/state'
import { Markdown } from '../markdown/markdown.tsx'
import { memo } from '../memo.ts'

type Props = { part: TextPart; isLast: boolean }

export const TextBlock = memo(({ part, isLast }: Props) => (
  <div class="text-part" data-part="text">
    <Markdown text={part.text} isDone={part.state !== 'open'} />
    {/* At the end of a turn the outcome says it; in the middle, a restart cut in and it went on. */}
    {part.state === 'interrupted' && !isLast && (
      <p class="resumed-note">Interrupted here, then continued</p>
    )}
  </div>
))

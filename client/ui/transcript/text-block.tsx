import type { TextPart } from '#protocol/turns'
import { Markdown } from '../markdown/lazy-markdown.ts'
import { memo } from '../memo.ts'

/** `isResumed`: the run went on right after it, and nothing else says why. */
type Props = { part: TextPart; isResumed: boolean }

export const TextBlock = memo(({ part, isResumed }: Props) => (
  <div class="text-part" data-part="text">
    <Markdown text={part.text} isDone={part.state !== 'open'} />
    {part.state === 'interrupted' && isResumed && (
      <p class="resumed-note">Interrupted here, then continued</p>
    )}
  </div>
))

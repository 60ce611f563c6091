import { memo } from '../memo.ts'
import { countLines, toDiffLines, type DiffLine } from './diff-lines.ts'
import { counted } from './words.ts'

const SIGNS: Record<DiffLine['kind'], string> = {
  added: '+',
  removed: '−',
  same: ' ',
  hunk: '',
  note: '',
}

/** `isOld`: the call was changed since; this is what the agent had asked for. */
export const DiffView = memo(({ diff, isOld }: { diff: string; isOld: boolean }) => {
  const { lines, left } = toDiffLines(diff)
  const added = countLines(lines, 'added')
  const removed = countLines(lines, 'removed')
  return (
    <figure class="card-diff" data-old={String(isOld)}>
      <figcaption>
        <span class="diff-count added">+{added}</span>{' '}
        <span class="diff-count removed">−{removed}</span>{' '}
        <span class="visually-hidden">
          {counted(added, 'line')} added, {counted(removed, 'line')} removed.
        </span>
        {isOld && 'As the agent asked for it, without your changes'}
      </figcaption>
      <pre tabIndex={0} aria-label="Changes">
        {lines.map(({ kind, text }, index) => (
          <span key={index} class={`card-diff-line ${kind}`}>
            <i aria-hidden="true">{SIGNS[kind]}</i>
            {text}
            {'\n'}
          </span>
        ))}
      </pre>
      {left > 0 && <p class="card-place">{counted(left, 'more line')}</p>}
    </figure>
  )
})

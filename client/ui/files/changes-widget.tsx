import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ChangeReview, FileReview } from '#protocol/state'
import { Icon } from '../shell/icon.tsx'
import { useFocusKeeper } from '../shell/use-focus-keeper.ts'
import { withFiles } from '../state/files.ts'
import { changes } from '../state/session.ts'
import { readStored, writeStored } from '../state/storage.ts'
import { ActionBadge, Counts, FilePath } from './counts.tsx'
import { keep, undo } from './review-actions.ts'
import { countFiles, sumCounts } from './words.ts'

const isFolded = signal(readStored('changes') === 'folded')

function toggle(): void {
  isFolded.value = !isFolded.peek()
  writeStored('changes', isFolded.peek() ? 'folded' : null)
}

const toTargets = (): { checkpointId: string }[] =>
  changes.peek().map(({ checkpointId }) => ({ checkpointId }))

/** What agents have changed and nobody has kept or undone yet. It stands outside the thread. */
export function ChangesWidget() {
  const reviews = changes.value
  const files = reviews.flatMap((review) => review.files)
  const conflicts = files.filter(({ conflict }) => conflict !== undefined).length
  const keeper = useFocusKeeper()
  return (
    <section class="changes" data-testid="changes" aria-label="Files changed" {...keeper}>
      <header class="changes-head">
        <button
          type="button"
          class="changes-toggle"
          aria-expanded={!isFolded.value}
          onClick={toggle}
        >
          <Icon name="chevron" />
          <span>{`${countFiles(files.length)} changed`}</span>
          <Counts {...sumCounts(files)} />
          {conflicts > 0 && (
            <span class="conflict-badge">
              {conflicts === 1 ? '1 conflict' : `${conflicts} conflicts`}
            </span>
          )}
        </button>
        <button
          type="button"
          class="changes-button"
          onClick={() => void undo(...toTargets().toReversed())}
        >
          Undo all
        </button>
        <button
          type="button"
          class="changes-button changes-keep"
          onClick={() => void keep(...toTargets())}
        >
          Keep all
        </button>
      </header>
      <div class="changes-list" hidden={isFolded.value}>
        {reviews.map((review) => (
          <Review key={review.checkpointId} review={review} />
        ))}
      </div>
    </section>
  )
}

function Review({ review }: { review: ChangeReview }) {
  return (
    <>
      <ul class="changes-files" data-checkpoint={review.checkpointId}>
        {review.files.map((file) => (
          <ReviewRow key={file.path} checkpointId={review.checkpointId} file={file} />
        ))}
      </ul>
      {review.truncated === true && (
        <p class="files-note">
          More files changed than are listed here. Keep all counts for them too.
        </p>
      )}
    </>
  )
}

function ReviewRow({ checkpointId, file }: { checkpointId: string; file: FileReview }) {
  const { path, from, conflict } = file
  const target = { checkpointId, path }
  const said = file.undone.length + file.kept.length
  const open = (): void => withFiles((door) => door.openDiff(target))
  return (
    <li class="change-row" data-path={path} data-conflict={String(conflict !== undefined)}>
      <button type="button" class="change-open" title="Show the changes" onClick={open}>
        <ActionBadge action={file.action} />
        <FilePath path={path} from={from} />
        <Counts {...file} />
        {said > 0 && <span class="change-said">{`${said} decided`}</span>}
      </button>
      {conflict === undefined ? (
        <>
          <button
            type="button"
            class="changes-button"
            aria-label={`Undo ${path}`}
            onClick={() => void undo(target)}
          >
            Undo
          </button>
          <button
            type="button"
            class="changes-button changes-keep"
            aria-label={`Keep ${path}`}
            onClick={() => void keep(target)}
          >
            Keep
          </button>
        </>
      ) : (
        <ConflictCard checkpointId={checkpointId} path={path} />
      )}
    </li>
  )
}

function ConflictCard({ checkpointId, path }: { checkpointId: string; path: string }) {
  const card = useRef<HTMLDivElement>(null)
  // In a long list it would come to be out of sight.
  useLayoutEffect(() => card.current?.scrollIntoView({ block: 'nearest' }), [])
  return (
    <div class="conflict-card" ref={card} role="group" aria-label={`Conflict in ${path}`}>
      <p>
        <Icon name="warning" /> It was changed after the agent wrote it, so nothing was undone.
      </p>
      <button
        type="button"
        class="changes-button"
        onClick={() => withFiles((door) => door.openConflict({ checkpointId, path }))}
      >
        Compare the three versions
      </button>
      <button
        type="button"
        class="changes-button changes-keep"
        onClick={() => void keep({ checkpointId, path })}
      >
        Keep what is there
      </button>
    </div>
  )
}

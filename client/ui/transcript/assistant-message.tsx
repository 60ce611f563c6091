import type { AssistantTurn, NoticePart, Response } from '#protocol/state'
import { AnswerFoot } from './answer-foot.tsx'
import { groupParts, isEmptyAnswer, type Segment } from './group-parts.ts'
import { Notice } from './notice.tsx'
import { OutcomeMark } from './outcome-mark.tsx'
import { TextBlock } from './text-block.tsx'
import { WorkGroup } from './work-group.tsx'

type Props = { response: Response | AssistantTurn }

/** Open and settled answers are one component, so that a run's end leaves the DOM as it stands. */
export function AssistantMessage({ response }: Props) {
  const settled = 'kind' in response ? response : null
  const end = settled?.end ?? null
  const failure = end?.outcome === 'failed' ? lastError(response) : null
  const segments = groupParts(response.parts.filter((part) => part !== failure))
  const works = segments.filter((segment) => segment.kind === 'work').length
  return (
    <article class="turn assistant" data-turn={response.seq} aria-label="Answer">
      {segments.map((segment, index) => (
        <SegmentView
          key={segment.key}
          segment={segment}
          isLast={index === segments.length - 1}
          isOpen={settled === null}
          // With several pieces of work the run's time belongs to none of them.
          foldedMs={end?.outcome === 'done' ? (works === 1 ? end.durationMs : null) : undefined}
        />
      ))}
      {end && <OutcomeMark end={end} failure={failure} isEmpty={segments.length === 0} />}
      {end && !isEmptyAnswer(response.parts) && <AnswerFoot response={response} end={end} />}
    </article>
  )
}

/** The mark of a failed run says it; it is not said twice. */
const lastError = (response: Response): NoticePart | null =>
  response.parts.findLast(
    (part): part is NoticePart => part.kind === 'notice' && part.level === 'error',
  ) ?? null

type SegmentProps = {
  segment: Segment
  isLast: boolean
  isOpen: boolean
  foldedMs: number | null | undefined
}

function SegmentView({ segment, isLast, isOpen, foldedMs }: SegmentProps) {
  switch (segment.kind) {
    case 'text':
      return <TextBlock part={segment.part} isLast={isLast} />
    case 'notice':
      return <Notice notice={segment.part} />
    case 'work':
      return <WorkGroup parts={segment.parts} isStreaming={isOpen && isLast} foldedMs={foldedMs} />
  }
}

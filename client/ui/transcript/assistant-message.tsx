import type { AssistantTurn, Response } from '#protocol/turns'
import { ChildTree } from '../contacts/slot.ts'
import { ChangesBlock } from '../state/files.ts'
import { AnsweredBy } from './answered-by.tsx'
import { AnswerFoot } from './answer-foot.tsx'
import { groupParts, isEmptyAnswer, lastError, type Segment } from './group-parts.ts'
import { messagePhase } from './message-phase.ts'
import { Notice, RetryNote } from './notice.tsx'
import { OutcomeMark } from './outcome-mark.tsx'
import { TextBlock } from './text-block.tsx'
import { ToolBlock } from './tool-block.tsx'
import { WorkGroup } from './work-group.tsx'

type Props = { response: Response | AssistantTurn }

/** Open and settled answers are one component, so that a run's end leaves the DOM as it stands. */
export function AssistantMessage({ response }: Props) {
  const settled = 'kind' in response ? response : null
  const end = settled?.end ?? null
  const failure = end?.outcome === 'failed' ? lastError(response.parts) : null
  const segments = groupParts(response.parts.filter((part) => part !== failure))
  const isOpen = settled === null
  // What was stopped or failed in the middle of its work is left in view.
  const isDone = !isOpen && (end === null || end.outcome === 'done')
  const isEmpty = isEmptyAnswer(response.parts)
  return (
    <article
      class="turn assistant"
      data-turn={response.seq}
      data-phase={messagePhase(response.parts, isOpen)}
      aria-label="Answer"
    >
      <AnsweredBy agent={response.agent} />
      {segments.map((segment, index) => (
        <SegmentView
          key={segment.key}
          segment={segment}
          runId={response.runId}
          next={segments[index + 1]}
          isOpen={isOpen}
          isDone={isDone}
        />
      ))}
      {end && <OutcomeMark end={end} failure={failure} isEmpty={segments.length === 0} />}
      {end && (!isEmpty || end.usage.inputTokens > 0) && (
        <AnswerFoot response={response} end={end} isEmpty={isEmpty} />
      )}
    </article>
  )
}

type SegmentProps = {
  segment: Segment
  runId: string
  next: Segment | undefined
  isOpen: boolean
  isDone: boolean
}

function SegmentView({ segment, runId, next, isOpen, isDone }: SegmentProps) {
  const isNow = isOpen && next === undefined
  switch (segment.kind) {
    case 'text':
      // At the end the outcome says that it was cut, before a note the note does.
      return (
        <TextBlock part={segment.part} isResumed={next?.kind === 'text' || next?.kind === 'work'} />
      )
    case 'notice':
      return <Notice notice={segment.part} />
    case 'block':
      return <ToolBlock part={segment.part} />
    case 'changes':
      return <ChangesBlock part={segment.part} />
    case 'children':
      return <ChildTree runId={runId} parts={segment.parts} />
    case 'retries':
      return <RetryNote parts={segment.parts} isNow={isNow} />
    case 'work':
      return (
        <WorkGroup parts={segment.parts} isStreaming={isNow} isOver={segment.isOver || isDone} />
      )
  }
}

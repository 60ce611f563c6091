import { useSignal } from '@preact/signals'
import type { Response, RunEnd } from '#protocol/turns'
import { formatCost, formatDuration, formatTokens } from '../format.ts'
import { lazy } from '../lazy.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { answeredBy, textOfAnswer } from './group-parts.ts'
import { TurnLink } from './turn-link.tsx'

const RunFigures = lazy(() => import('../usage/context-meter.tsx').then((file) => file.RunFigures))

type Props = { response: Response; end: RunEnd; isEmpty: boolean }

function describeRun(model: string, { durationMs, usage }: RunEnd): string {
  const tokens = usage.inputTokens + usage.outputTokens
  const facts = [model, formatDuration(durationMs)]
  if (tokens > 0) facts.push(formatTokens(tokens))
  if (usage.costUsd !== undefined) facts.push(formatCost(usage.costUsd))
  return facts.filter((fact) => fact !== '').join(' · ')
}

/** What the run took, in short; all of it on demand. */
export function AnswerFoot({ response, end, isEmpty }: Props) {
  const isOpen = useSignal(false)
  const model = answeredBy(response)
  return (
    <footer class="turn-foot">
      {!isEmpty && (
        <span class="turn-actions">
          <CopyButton text={() => textOfAnswer(response.parts)} label="Copy answer" />
          <TurnLink seq={response.seq} />
        </span>
      )}
      <button
        type="button"
        class="turn-facts"
        title="What this run took"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {describeRun(model, end)}
      </button>
      {isOpen.value && <RunFigures model={model} end={end} />}
    </footer>
  )
}

import type { Response, RunEnd } from '#protocol/state'
import { formatCost, formatDuration, formatTokens } from '../format.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { textOfAnswer } from './group-parts.ts'
import { TurnLink } from './turn-link.tsx'

type Props = { response: Response; end: RunEnd }

function describeRun(model: string, { durationMs, usage }: RunEnd): string {
  const tokens = usage.inputTokens + usage.outputTokens
  const facts = [model, formatDuration(durationMs)]
  if (tokens > 0) facts.push(formatTokens(tokens))
  if (usage.costUsd !== undefined) facts.push(formatCost(usage.costUsd))
  return facts.filter((fact) => fact !== '').join(' · ')
}

export function AnswerFoot({ response, end }: Props) {
  return (
    <footer class="turn-foot">
      <span class="turn-actions">
        <CopyButton text={() => textOfAnswer(response.parts)} label="Copy answer" />
        <TurnLink seq={response.seq} />
      </span>
      <span class="turn-facts">{describeRun(response.model, end)}</span>
    </footer>
  )
}

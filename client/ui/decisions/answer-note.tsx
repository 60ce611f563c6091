import type { QuestionView } from '#protocol/turns'
import { nameOf } from '../state/decisions.ts'
import { formatTime } from './words.ts'

const toText = (answer: string | string[] | undefined): string =>
  typeof answer === 'string' ? answer : (answer ?? []).join(', ')

export function AnswerNote({ question }: { question: QuestionView }) {
  const { questions, answers, by, at } = question
  if (answers === undefined) return <p class="decision-note">Nobody answered.</p>
  return (
    <div class="decision-note answers" data-verdict="answered">
      <dl>
        {questions.map(({ id, text }) => (
          <div key={id}>
            <dt>{text}</dt>
            <dd>{toText(Object.hasOwn(answers, id) ? answers[id] : undefined)}</dd>
          </div>
        ))}
      </dl>
      <p>
        Answered by {nameOf(by)}
        {at !== undefined && `, ${formatTime(at)}`}
      </p>
    </div>
  )
}

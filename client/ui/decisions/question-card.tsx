import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Question } from '#protocol/decision-events'
import type { QuestionView } from '#protocol/turns'
import { Icon } from '../shell/icon.tsx'
import { answer, draftFor, leaveCard, sending } from '../state/decisions.ts'
import {
  choose,
  draftOf,
  hasOptions,
  readAnswers,
  takesText,
  write,
  type AnswerDraft,
  type Drafts,
} from './answer-draft.ts'
import { GrowingField, Problem } from './growing-field.tsx'
import { SendingNote } from './sending-note.tsx'
import { counted, formatTime } from './words.ts'

const NOTHING: Drafts = {}

export function QuestionCard({ callId, question }: { callId: string; question: QuestionView }) {
  const { questionId, questions } = question
  const card = useRef<HTMLElement>(null)
  const drafts = draftFor(questionId, NOTHING)
  const problems = useSignal<ReadonlyMap<string, string>>(new Map())
  const refusal = useSignal<string | null>(null)
  const isSending = sending.value.has(questionId)
  const submit = async (): Promise<void> => {
    const read = readAnswers(questions, drafts.peek())
    problems.value = read.ok ? new Map() : read.problems
    if (!read.ok) {
      const wrong = questions.findIndex(({ id }) => read.problems.has(id))
      return focusQuestion(card.current!, wrong)
    }
    const answered = answer(questionId, callId, read.answers)
    leaveCard(card.current!)
    refusal.value = await answered
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) {
      event.preventDefault()
      event.stopPropagation()
      void submit()
    } else if (event.key === 'Escape' && event.target !== card.current) {
      // Leaves the field; the same key on the page would stop the run.
      event.preventDefault()
      card.current?.focus()
    }
  }
  const change = (next: Drafts): void => {
    drafts.value = next
    problems.value = new Map()
  }
  const title =
    questions.length === 1 ? 'A question for you' : `${questions.length} questions for you`
  return (
    <section
      ref={card}
      class="wait-card"
      tabIndex={-1}
      data-call-id={callId}
      data-kind="question"
      aria-busy={isSending}
      aria-label={title}
      onKeyDown={handleKey}
    >
      <header class="card-head">
        <Icon name="info" />
        <h3>{title}</h3>
      </header>
      {question.expiresAt !== undefined && (
        <p class="card-reason">{`Until ${formatTime(question.expiresAt)}.`}</p>
      )}
      <fieldset class="card-body" disabled={isSending}>
        {questions.map((one, index) => (
          <QuestionField
            key={one.id}
            question={one}
            name={`${questionId}-${index}`}
            draft={draftOf(drafts.value, one)}
            problem={problems.value.get(one.id) ?? null}
            onChoose={(option, isOn) => change(choose(drafts.peek(), one, option, isOn))}
            onWrite={(text) => change(write(drafts.peek(), one, text))}
          />
        ))}
        <Problem message={refusal.value} />
        <div class="card-actions">
          <button
            type="button"
            class="primary-button"
            data-act="answer"
            onClick={() => void submit()}
          >
            {questions.length === 1 ? 'Answer' : `Send ${counted(questions.length, 'answer')}`}
          </button>
          <span class="card-hint">Ctrl Enter</span>
          <SendingNote isSending={isSending} />
        </div>
      </fieldset>
    </section>
  )
}

function focusQuestion(card: HTMLElement, index: number): void {
  const field = card.querySelectorAll('.question')[index]
  field?.querySelector<HTMLElement>('input, textarea')?.focus()
}

type FieldProps = {
  question: Question
  name: string
  draft: AnswerDraft
  problem: string | null
  onChoose: (option: string, isOn: boolean) => void
  onWrite: (text: string) => void
}

function QuestionField({ question, name, draft, problem, onChoose, onWrite }: FieldProps) {
  const { text, options = [], multi = false } = question
  return (
    <fieldset class="question" aria-invalid={problem !== null}>
      <legend>{text}</legend>
      {options.map((option) => (
        <label key={option} class="question-option">
          <input
            type={multi ? 'checkbox' : 'radio'}
            name={name}
            checked={draft.chosen.includes(option)}
            onChange={(event) => onChoose(option, event.currentTarget.checked)}
          />
          <span>{option}</span>
        </label>
      ))}
      {takesText(question) && (
        <GrowingField
          value={draft.text}
          label={hasOptions(question) ? 'In your own words' : text}
          problem={problem}
          placeholder={hasOptions(question) ? 'In your own words' : ''}
          onInput={onWrite}
        />
      )}
      <Problem message={problem} />
    </fieldset>
  )
}

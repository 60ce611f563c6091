// What a person has chosen and written so far, and whether it answers what was asked. The server
// holds it against the same rules.

import type { Answers, Question } from '#protocol/decision-events'

export type AnswerDraft = { chosen: readonly string[]; text: string }
export type Drafts = Readonly<Record<string, AnswerDraft>>

const EMPTY: AnswerDraft = { chosen: [], text: '' }

export const draftOf = (drafts: Drafts, { id }: Question): AnswerDraft =>
  Object.hasOwn(drafts, id) ? drafts[id]! : EMPTY

const put = (drafts: Drafts, { id }: Question, draft: AnswerDraft): Drafts => ({
  ...drafts,
  // Not as a property name of an object literal: an id may be `__proto__`.
  ...Object.fromEntries([[id, draft]]),
})

/** One of several takes the place of the other, and of own words. */
export function choose(drafts: Drafts, question: Question, option: string, isOn: boolean): Drafts {
  const held = draftOf(drafts, question)
  if (question.multi !== true) return put(drafts, question, { chosen: [option], text: '' })
  const others = held.chosen.filter((one) => one !== option)
  return put(drafts, question, { ...held, chosen: isOn ? [...others, option] : others })
}

/** Where one answer is asked for, own words take the place of what was chosen. */
export function write(drafts: Drafts, question: Question, text: string): Drafts {
  const held = draftOf(drafts, question)
  const isInstead = question.multi !== true && text.trim() !== ''
  return put(drafts, question, { chosen: isInstead ? [] : held.chosen, text })
}

export const hasOptions = ({ options = [] }: Question): boolean => options.length > 0
export const takesText = (question: Question): boolean =>
  question.free === true || !hasOptions(question)

export type ReadAnswers =
  | { ok: true; answers: Answers }
  | { ok: false; problems: ReadonlyMap<string, string> }

export function readAnswers(questions: readonly Question[], drafts: Drafts): ReadAnswers {
  const problems = new Map<string, string>()
  const answers = questions.map((question): [string, string | string[]] => {
    const { chosen, text } = draftOf(drafts, question)
    const all = [...chosen, ...(takesText(question) && text.trim() !== '' ? [text.trim()] : [])]
    if (all.length === 0) problems.set(question.id, missingWords(question))
    return [question.id, question.multi === true ? all : (all.at(-1) ?? '')]
  })
  if (problems.size > 0) return { ok: false, problems }
  return { ok: true, answers: Object.fromEntries(answers) }
}

function missingWords(question: Question): string {
  if (!hasOptions(question)) return 'Write an answer.'
  const what = question.multi === true ? 'Choose at least one' : 'Choose one'
  return takesText(question) ? `${what}, or write an answer.` : `${what}.`
}

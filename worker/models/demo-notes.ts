// What the engine puts into a conversation besides the words of people, as a model finds it there.

import type { Heard } from './demo-scene.ts'

/** What the history puts before a message, or sends alone when a run has to go on. */
const NOTES = /^(?:\[[^\]\n]{0,200}\b(?:interrupted|continue|as before)\b[^\]\n]{0,200}\]\s*)+/i
const ATTACHMENTS = /\n\n\[Attached: [\s\S]*$/
const SUMMARY_HEAD = '[Summary of the conversation so far]'
const LAST_WORDS = /^The person's last message before this point, word for word:\n([\s\S]*)$/m
const BULLET = /^- The person asked: “(.*)”$/gm
const FROM_AGENT = /^\[Message from the agent “([^”\n]*)”, not from the person\.[^\]\n]*\]\n/
const FROM_ASKED = /^\[(Answer|No answer) of the agent “([^”\n]*)” to your message,[^\]\n]*\]\n/

export const isSummaryRequest = (message: string): boolean =>
  message.startsWith('Summarise the conversation below')

export const isSummary = (message: string): boolean => message.startsWith(SUMMARY_HEAD)

/** A person's words without the engine's; '' when there are none. */
export const stripNotes = (message: string): string => message.replace(NOTES, '')

/** …and without the files that came with them: their words choose no scene. */
export const stripMessage = (message: string): string =>
  stripNotes(message).replace(ATTACHMENTS, '').trim()

/** The questions that a summary of ours names, the last one last; null: it is not a summary. */
export function readSummary(message: string): string[] | null {
  if (!isSummary(message)) return null
  const last = LAST_WORDS.exec(message)
  const told = last === null ? message : message.slice(0, last.index)
  const questions = [...told.matchAll(BULLET)].map(([, question = '']) => question)
  return last === null ? questions : [...questions, stripMessage(last[1] ?? '')]
}

/** Who says it, and what, without the line in which the engine says who. */
export function readHeard(message: string): Heard {
  const [head, name] = FROM_AGENT.exec(message) ?? []
  if (head !== undefined && name !== undefined) {
    return { sender: { kind: 'agent', name }, text: message.slice(head.length) }
  }
  const [answerHead, kind, asked] = FROM_ASKED.exec(message) ?? []
  if (answerHead !== undefined && asked !== undefined) {
    const sender = { kind: 'callback', name: asked, ok: kind === 'Answer' } as const
    return { sender, text: message.slice(answerHead.length) }
  }
  return { sender: { kind: 'person' }, text: message }
}

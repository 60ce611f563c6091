import { utf8Bytes } from '#protocol/text'
import { z } from 'zod'
import type { Tool } from './tool.ts'

const QUESTIONS = 10
const OPTIONS = 20
const QUESTIONS_BYTES = 32_768

const question = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
    .optional()
    .describe('Names the answer. Left out: its number, from 1.'),
  text: z.string().trim().min(1).max(2000),
  options: z
    .array(z.string().trim().min(1).max(500))
    .max(OPTIONS)
    .optional()
    .describe('What to choose from. None: the person answers in their own words.'),
  multi: z.boolean().optional().describe('Several options may be chosen.'),
  free: z.boolean().optional().describe('Own words are welcome beside the options.'),
})

const input = z
  .strictObject({ questions: z.array(question).min(1).max(QUESTIONS) })
  .refine(({ questions }) => hasOwnIds(questions), { message: 'two questions have the same id' })
  // What is asked is kept with the session until it is answered.
  .refine(({ questions }) => utf8Bytes(JSON.stringify(questions)) <= QUESTIONS_BYTES, {
    message: 'too long to ask',
  })

export const askUser: Tool<z.infer<typeof input>> = {
  name: 'ask_user',
  description:
    'Ask the person one or more questions and wait for the answers. Use it when you cannot go on ' +
    'without knowing, and ask everything at once.',
  input,
  // Asking again after a crash asks the same: the question itself outlives it.
  repeatable: true,
  readOnly: true,
  ask: ({ questions }) =>
    questions.map(({ id, text, options, multi, free }, index) => ({
      id: id ?? String(index + 1),
      text,
      ...(options === undefined || options.length === 0 ? {} : { options }),
      ...(multi === undefined ? {} : { multi }),
      ...(free === undefined ? {} : { free }),
    })),
  run: () => Promise.reject(new Error('a question is asked, not run')),
}

function hasOwnIds(questions: readonly { id?: string | undefined }[]): boolean {
  const ids = questions.map(({ id }, index) => id ?? String(index + 1))
  return new Set(ids).size === ids.length
}

import { z } from 'zod'
import type { Tool } from './tool.ts'

const input = z.strictObject({
  summary: z.string().trim().min(1).max(8000).describe('What was done, for the person. Markdown.'),
  outcome: z.enum(['done', 'partly', 'failed']).default('done'),
  open: z
    .array(z.string().trim().min(1).max(500))
    .max(20)
    .optional()
    .describe('What is left to do, or to decide.'),
})

export const finalizeTask: Tool<z.infer<typeof input>> = {
  name: 'finalize_task',
  description: 'Say that a task is over: what was done, how it ended, and what is left open.',
  input,
  repeatable: true,
  readOnly: true,
  // What people see is the call itself.
  run: () => Promise.resolve('The person sees your summary. Do not repeat it.'),
}

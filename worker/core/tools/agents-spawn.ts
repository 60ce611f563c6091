import { TOOL_OUTPUT_BYTES } from '#protocol/limits'
import { utf8Bytes } from '#protocol/text'
import { z } from 'zod'
import type { Tool } from './tool.ts'

const input = z.strictObject({
  task: z
    .string()
    .trim()
    .min(1)
    .refine((text) => utf8Bytes(text) <= TOOL_OUTPUT_BYTES, { message: 'too long for a task' })
    .describe('What to do, with all that has to be known: it knows nothing of this conversation.'),
  agent: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Which agent does it (agents_list). Left out: one like you.'),
})

export const agentsSpawn: Tool<z.infer<typeof input>> = {
  name: 'agents_spawn',
  description:
    'Start a child agent that works on a task in this workspace, with no more rights than you have, ' +
    'and get its final answer as the result. Call it several times at once for tasks that do not ' +
    'depend on each other.',
  input,
  repeatable: false,
  // It can do no more than whoever starts it may.
  readOnly: true,
  contact: ({ task, agent }) => ({
    type: 'spawn',
    agent: agent ?? null,
    task: task.toWellFormed(),
  }),
  run: () => Promise.reject(new Error('a child is started, not run')),
}

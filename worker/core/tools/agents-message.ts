import {
  CALLBACK_SECONDS,
  EXCHANGE_SECONDS,
  EXCHANGE_SECONDS_MAX,
  TOOL_OUTPUT_BYTES,
} from '#protocol/limits'
import { utf8Bytes } from '#protocol/text'
import { z } from 'zod'
import type { Tool } from './tool.ts'

const input = z.strictObject({
  to: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .describe('The name of an agent (agents_list), or the id of a session.'),
  message: z
    .string()
    .trim()
    .min(1)
    // It is stored on both sides and read as a tool's output is.
    .refine((text) => utf8Bytes(text) <= TOOL_OUTPUT_BYTES, { message: 'too long to send' })
    .describe('What to tell or ask it. It knows nothing of this conversation.'),
  wait: z
    .boolean()
    .optional()
    .describe(
      'true: its answer is the result. false: go on; the answer comes as a message later. Where you ' +
        'work on a task for another agent, what has not come when you end is taken back.',
    ),
  timeoutSeconds: z.int().min(1).max(EXCHANGE_SECONDS_MAX).optional(),
})

export const agentsMessage: Tool<z.infer<typeof input>> = {
  name: 'agents_message',
  description:
    'Send a message to another agent and get its answer. An agent named by its name keeps what you ' +
    'said to it before.',
  input,
  // The message outlives a crash by itself; a second one would be another message.
  repeatable: false,
  readOnly: false,
  contact: ({ to, message, wait = true, timeoutSeconds }) => ({
    type: 'message',
    to,
    text: message.toWellFormed(),
    wait,
    seconds: timeoutSeconds ?? (wait ? EXCHANGE_SECONDS : CALLBACK_SECONDS),
  }),
  run: () => Promise.reject(new Error('a message is sent, not run')),
}

import { z } from 'zod'
import type { Tool } from './tool.ts'

const input = z.strictObject({
  thought: z.string().min(1).describe('What you are thinking, in full sentences.'),
})

/** The loop shows the thought itself as thinking; this only answers the call. */
export const think: Tool<z.infer<typeof input>> = {
  name: 'think',
  description:
    'Think out loud before you act: weigh options, check a plan, look for mistakes. ' +
    'Changes nothing and fetches nothing; people see the thought as your thinking.',
  input,
  repeatable: true,
  readOnly: true,
  run: () => Promise.resolve('Noted.'),
}

import { z } from 'zod'
import type { Tool } from './tool.ts'

const input = z.strictObject({})

export const agentsList: Tool<z.infer<typeof input>> = {
  name: 'agents_list',
  description:
    'List the agents that you can write to with agents_message or start with agents_spawn.',
  input,
  repeatable: true,
  readOnly: true,
  contact: () => ({ type: 'list' }),
  run: () => Promise.reject(new Error('who there is, is asked, not run')),
}

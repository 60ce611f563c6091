import { PLAN_STEPS } from '#protocol/limits'
import { z } from 'zod'
import type { Tool } from './tool.ts'

const step = z.strictObject({
  text: z.string().trim().min(1).max(2000),
  status: z.enum(['pending', 'active', 'done', 'skipped']).default('pending'),
})

const input = z.strictObject({
  title: z.string().trim().min(1).max(200),
  steps: z.array(step).min(1).max(PLAN_STEPS),
})

export const updatePlan: Tool<z.infer<typeof input>> = {
  name: 'update_plan',
  description:
    'Show the person your plan and how far you are: the whole plan each time, with the status of ' +
    'each step. In the mode Plan it is put before the person, who may change, approve or reject it.',
  input,
  repeatable: true,
  readOnly: true,
  plan: ({ title, steps }) => ({
    title,
    steps: steps.map(({ text, status }, index) => ({ id: String(index + 1), text, status })),
  }),
  run: () => Promise.reject(new Error('a plan is shown, not run')),
}

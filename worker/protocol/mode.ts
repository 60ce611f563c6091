import { z } from 'zod'

export const Mode = z.enum(['agent', 'ask', 'plan'])
export type Mode = z.infer<typeof Mode>

// Numbers in a query string.

import { z } from 'zod'

const digits = z
  .string()
  .regex(/^\d{1,15}$/, 'expected a whole number')
  .transform(Number)

/** A position in the log; 0 is before everything. */
export const seq = digits

/** How many; more than `max` is answered with `max`, because the answer says that there is more. */
export const count = (min: number, max: number) =>
  digits
    .refine((value) => value >= min, { message: `expected at least ${min}` })
    .transform((value) => Math.min(value, max))

// What an agent is made of, as it comes from outside: of its own, or for one session only.

import { z } from 'zod'
import { INSTRUCTIONS_BYTES } from './limits.ts'
import { Mode } from './mode.ts'
import { utf8Bytes } from './text.ts'

/** A name is part of an address and of what people type. */
export const AGENT_NAME = /^[a-z0-9-]{1,40}$/

const MODELS = 10
const TOOLS = 100

// A lone surrogate cannot be stored: it becomes U+FFFD at the door.
const wellFormed = z.string().overwrite((text) => text.toWellFormed())
const isUnique = (values: string[]): boolean => new Set(values).size === values.length
const names = (item: z.ZodString, max: number) =>
  z.array(item).max(max).refine(isUnique, { message: 'names something twice' })

export const agentName = z.string().regex(AGENT_NAME, 'expected 1 to 40 of a-z, 0-9 and -')

export const agentFields = {
  instructions: wellFormed
    .refine((text) => text.trim() !== '', { message: 'must not be empty' })
    .refine((text) => utf8Bytes(text) <= INSTRUCTIONS_BYTES, {
      message: `must be at most ${INSTRUCTIONS_BYTES} bytes`,
      params: { code: 'too_large' },
    }),
  models: names(z.string().min(1).max(200), MODELS),
  tools: names(
    z.string().regex(/^[\w.-]{1,128}(__\*)?$/, 'expected the name of a tool, or <server>__*'),
    TOOLS,
  ).nullable(),
  mode: Mode,
}

/** What a session changes of an agent, for itself alone. */
export const SentOverride = z
  .strictObject(agentFields)
  .partial()
  .refine((override) => Object.keys(override).length > 0, { message: 'nothing to override' })

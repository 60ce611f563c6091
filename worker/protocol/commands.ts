// What a client may ask of a session. `id` is the client's own: the same id has one effect, ever.

import { z } from 'zod'
import { agentName, SentOverride } from './agent-fields.ts'
import { Edits, Plan, Scope } from './decision-events.ts'
import { Attachment, Delivery, Mode, Recovery } from './events.ts'
import {
  ANSWERS_BYTES,
  COMMAND_ID_CHARS,
  EDIT_BYTES,
  MESSAGE_TEXT_BYTES,
  MISSION_MINUTES_MAX,
  MISSION_PROMPTS_MAX,
  MISSION_TEXT_BYTES,
  PATH_BYTES,
  PATTERN_CHARS,
  PLAN_STEPS,
  TITLE_CHARS,
} from './limits.ts'
import { utf8Bytes } from './text.ts'

// A lone surrogate cannot be stored or counted: it becomes U+FFFD at the door.
const wellFormed = z.string().overwrite((text) => text.toWellFormed())

const textUpTo = (bytes: number) =>
  wellFormed
    .refine((text) => text.trim() !== '', { message: 'must not be empty' })
    .refine((text) => utf8Bytes(text) <= bytes, {
      message: `must be at most ${bytes} bytes`,
      params: { code: 'too_large' },
    })
const messageText = textUpTo(MESSAGE_TEXT_BYTES)

// Printable ASCII: ids end up in logs, URLs and DOM attributes.
const id = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .max(COMMAND_ID_CHARS)
const SentAttachment = Attachment.extend({ name: wellFormed, content: wellFormed })
const itemId = z.string().min(1).max(COMMAND_ID_CHARS)
const name = z.string().min(1).max(200)
const fits =
  (bytes: number) =>
  (value: unknown): boolean =>
    utf8Bytes(JSON.stringify(value)) <= bytes
const file = {
  checkpointId: z.string().min(1).max(200),
  path: z.string().min(1).max(PATH_BYTES).optional(),
  hunk: z.int().min(0).optional(),
}
const SentPlan = Plan.extend({
  title: wellFormed.min(1).max(TITLE_CHARS),
  steps: z
    .array(Plan.shape.steps.element.extend({ id: name, text: wellFormed.min(1).max(2000) }))
    .max(PLAN_STEPS),
})

export const Changes = z
  .strictObject({
    title: wellFormed.trim().min(1).max(TITLE_CHARS),
    model: name,
    agent: name,
    mode: Mode,
    pinned: z.boolean(),
    autoApproveCommands: z.boolean(),
    autoApproveSensitiveEdits: z.boolean(),
    sensitivePatterns: z.array(z.string().min(1).max(PATTERN_CHARS)).max(100),
    recovery: Recovery,
  })
  .partial()

export const missionFields = {
  text: textUpTo(MISSION_TEXT_BYTES),
  everyMinutes: z.int().min(1).max(MISSION_MINUTES_MAX).optional(),
  maxPrompts: z.int().min(1).max(MISSION_PROMPTS_MAX).optional(),
}

const fields = {
  send: {
    text: messageText,
    to: name.optional(),
    attachments: z.array(SentAttachment).max(20).optional(),
    delivery: Delivery.optional(),
  },
  cancel: {
    runId: z.string().max(200).optional(),
    audioTruncatedAtMs: z.number().min(0).optional(),
  },
  continue: {},
  queue_edit: { itemId, text: messageText },
  queue_remove: { itemId },
  queue_move: { itemId, before: itemId.nullable() },
  queue_send_now: { itemId },
  decide: {
    decisionId: z.string().min(1).max(200),
    verdict: z.enum(['accept', 'reject']),
    reason: wellFormed.max(4000).optional(),
    edits: z
      .strictObject({ ...Edits.shape, command: wellFormed, arguments: wellFormed, plan: SentPlan })
      .partial()
      .refine(fits(EDIT_BYTES), { message: `must be at most ${EDIT_BYTES} bytes` })
      .optional(),
    scope: Scope.optional(),
  },
  answer: {
    questionId: z.string().min(1).max(200),
    answers: z
      .record(z.string().max(200), z.union([wellFormed, z.array(wellFormed).max(100)]))
      .refine(fits(ANSWERS_BYTES), { message: `must be at most ${ANSWERS_BYTES} bytes in all` }),
  },
  keep: file,
  undo: file,
  redo: file,
  /** Every file as it was when this checkpoint began, as a checkpoint of its own. */
  restore: { checkpointId: file.checkpointId },
  rule_remove: { ruleId: z.string().min(1).max(200) },
  configure: Changes.shape,
  mission_set: missionFields,
  /** `missionId`: that one and no other. */
  mission_clear: { missionId: itemId.optional() },
  mission_pause: {},
  mission_resume: {},
  /** The next prompt now instead of when it is due. */
  mission_prompt: {},
  /** null: the agent as it is, again. */
  override_set: { agentId: agentName, override: SentOverride.nullable() },
  clear: {},
  compact: {},
} as const

type Fields = typeof fields
export type CommandType = keyof Fields
/** `unknown` for a command without fields: zod's own type of `{}` admits no key at all. */
type FieldsOf<T extends CommandType> = keyof Fields[T] extends never
  ? unknown
  : z.infer<z.ZodObject<Fields[T]>>
export type CommandOf<T extends CommandType> = T extends CommandType
  ? { type: T; id: string } & FieldsOf<T>
  : never
export type Command = { [T in CommandType]: CommandOf<T> }[CommandType]

export const CommandSchema = z.discriminatedUnion(
  'type',
  Object.entries(fields).map(([type, shape]) =>
    z.strictObject({ type: z.literal(type), id, ...shape }),
  ) as unknown as [z.ZodObject<{ type: z.ZodLiteral<string> }>],
)

/** What a command answers. `seq` is that of the event it caused. */
export type Ack = { seq?: number | null; queued?: boolean; runId?: string }

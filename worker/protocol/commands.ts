// What a client may ask of a session. `id` is the client's own: the same id has one effect, ever.

import { z } from 'zod'
import { Attachment, Delivery, Mode, Recovery } from './events.ts'
import { COMMAND_ID_CHARS, MESSAGE_TEXT_BYTES, TITLE_CHARS } from './limits.ts'
import { utf8Bytes } from './text.ts'

// A lone surrogate cannot be stored or counted: it becomes U+FFFD at the door.
const wellFormed = z.string().overwrite((text) => text.toWellFormed())

const messageText = wellFormed
  .refine((text) => text.trim() !== '', { message: 'must not be empty' })
  .refine((text) => utf8Bytes(text) <= MESSAGE_TEXT_BYTES, {
    message: `must be at most ${MESSAGE_TEXT_BYTES} bytes`,
    params: { code: 'too_large' },
  })

// Printable ASCII: ids end up in logs, URLs and DOM attributes.
const id = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .max(COMMAND_ID_CHARS)
const SentAttachment = Attachment.extend({ name: wellFormed, content: wellFormed })
const itemId = z.string().min(1).max(COMMAND_ID_CHARS)
const name = z.string().min(1).max(200)

export const Changes = z
  .strictObject({
    title: wellFormed.trim().min(1).max(TITLE_CHARS),
    model: name,
    agent: name,
    mode: Mode,
    pinned: z.boolean(),
    autoApproveCommands: z.boolean(),
    autoApproveSensitiveEdits: z.boolean(),
    sensitivePatterns: z.array(z.string().min(1).max(500)).max(100),
    recovery: Recovery,
  })
  .partial()

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
  configure: Changes.shape,
  clear: {},
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

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { EventSchema } from './events.ts'
import { CLOSE } from './frames.ts'
import { ClientSchemas } from './parse.ts'
import { PROTOCOL_VERSION, SCHEMA_FINGERPRINT } from './version.ts'

type JsonSchema = {
  oneOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  properties?: Record<string, { const?: string }>
  required?: string[]
}

const schemas: Record<string, z.ZodType> = { event: EventSchema, ...ClientSchemas }

const toJson = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input' }) as JsonSchema

/** Keys in one order, so that moving a line in a schema is not a change. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, canonical(inner)]))
}

/** Every frame with its fields, in words: what a person compares when the hash differs. */
function listing(): string[] {
  const lines = Object.entries(schemas).flatMap(([kind, schema]) => {
    const json = toJson(schema)
    return (json.oneOf ?? json.anyOf ?? [json]).map(({ properties = {}, required = [] }) => {
      const fields = Object.keys(properties).filter((field) => field !== 'type')
      const marked = fields.map((field) => (required.includes(field) ? field : `${field}?`))
      return `${kind} ${properties['type']?.const}: ${marked.sort().join(', ')}`
    })
  })
  return [...lines, ...Object.entries(CLOSE).map(([name, code]) => `close ${name} ${code}`)].sort()
}

function fingerprint(): string {
  const bodies = Object.fromEntries(
    Object.entries(schemas).map(([kind, schema]) => [kind, toJson(schema)]),
  )
  const text = JSON.stringify(canonical({ bodies, listing: listing() }))
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

const ADVICE = [
  'The schemas of events or client frames changed.',
  '1. Bump PROTOCOL_VERSION in worker/protocol/version.ts.',
  '2. Add a history line there that says what is different.',
  `3. Update the fingerprint, SCHEMA_FINGERPRINT, to '${fingerprint()}'.`,
  'What is there now:',
  ...listing(),
].join('\n')

test('the schemas are the ones this version stands for', () => {
  expect(fingerprint(), ADVICE).toBe(SCHEMA_FINGERPRINT)
})

test('the fingerprint sees every event, every command, hello, seen and the close codes', () => {
  const kinds = listing().map((line) => line.split(' ', 1)[0])
  const count = (kind: string): number => kinds.filter((one) => one === kind).length
  expect(count('event')).toBe(EventSchema.options.length)
  expect(count('command')).toBe(ClientSchemas.command.options.length)
  expect([count('hello'), count('seen'), count('close')]).toEqual([1, 1, Object.keys(CLOSE).length])
  expect(listing()).toContain('event text_delta: at, delta, offset, partId, responseId, seq')
  expect(listing()).toContain('command send: attachments?, delivery?, id, text, to?')
})

test('the version is a whole number that hello can carry', () => {
  expect(ClientSchemas.hello.shape.version.safeParse(PROTOCOL_VERSION).success).toBe(true)
})

// What a remote tool answered, as the text that a model is given.

import { z } from 'zod'

/** Lenient: a server that adds kinds of content must not turn a good answer into an error. */
export const CallResult = z.object({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
})

const Part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('resource_link'), uri: z.string(), name: z.string().optional() }),
  z.object({
    type: z.literal('resource'),
    resource: z.object({ uri: z.string(), text: z.string().optional() }),
  }),
])

export function toResultText(result: z.infer<typeof CallResult>): string {
  const parts = result.content.map(toText)
  const json = toJson(result.structuredContent)
  // Servers are told to send structured content as text too, for clients that know only text.
  if (json !== null && !parts.some((part) => toJson(parseJson(part)) === json)) parts.push(json)
  return parts.join('\n') || '(no output)'
}

function toText(raw: unknown): string {
  const parsed = Part.safeParse(raw)
  if (!parsed.success) return '[content of an unknown kind]'
  const part = parsed.data
  switch (part.type) {
    case 'text':
      return part.text
    case 'image':
    case 'audio':
      return `[${part.type}: ${part.mimeType}, ${Math.ceil((part.data.length * 3) / 4096)} KiB, not shown]`
    case 'resource_link':
      return `[resource: ${part.name === undefined ? '' : `${part.name} `}${part.uri}]`
    case 'resource':
      return [`[resource: ${part.resource.uri}]`, part.resource.text ?? '']
        .filter((line) => line !== '')
        .join('\n')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toJson(value: unknown): string | null {
  if (value === undefined || value === null) return null
  try {
    return JSON.stringify(value)
  } catch {
    // Nested deeper than the stack: nothing a model could read.
    return null
  }
}

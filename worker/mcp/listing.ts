// What a server says that it offers, bounded and checked tool by tool. Plain data.

import { z } from 'zod'
import type { Connection } from './connection.ts'
import { hideSecrets } from './hide-secrets.ts'
import type { McpServer } from './settings.ts'
import { toToolNames } from './tool-names.ts'

const PAGES = 10
const TOOLS = 128
const DESCRIPTION_CHARS = 2000
const SCHEMA_CHARS = 16 * 1024
/** Providers refuse what is nested deeper, some at less. */
const SCHEMA_DEPTH = 32
/** Every request to a model carries all of it. */
const LISTING_CHARS = 256 * 1024

export type ListedTool = {
  /** As the server calls it. */
  name: string
  /** As a model calls it. */
  exposedName: string
  description: string
  inputSchema: Record<string, unknown>
  readOnly: boolean
  repeatable: boolean
}

export type Listing = {
  tools: readonly ListedTool[]
  /** Malformed or too large. */
  skipped: number
  /** There were more than are taken. */
  isCut: boolean
}

// A provider refuses a whole request for one schema that is none, and with it every run.
const SubSchema = z.union([z.boolean(), z.record(z.string(), z.unknown())])
const RemoteTool = z.object({
  name: z.string().min(1).max(256),
  description: z.string().default(''),
  inputSchema: z.looseObject({
    type: z.literal('object'),
    properties: z.record(z.string(), SubSchema).optional(),
    required: z.array(z.string()).optional(),
  }),
  annotations: z
    .object({ readOnlyHint: z.unknown(), idempotentHint: z.unknown() })
    .partial()
    .default({})
    .catch({}),
})

export async function loadListing(server: McpServer, connection: Connection): Promise<Listing> {
  if (!connection.hasTools) return { tools: [], skipped: 0, isCut: false }
  const found = new Map<string, Omit<ListedTool, 'exposedName'>>()
  let skipped = 0
  let left = LISTING_CHARS
  let cursor: string | undefined
  let isCut = false
  for (let page = 0; page < PAGES && !isCut; page++) {
    const { tools, nextCursor } = await connection.listTools(cursor)
    for (const raw of tools) {
      const tool = parseTool(server, raw, left)
      if (found.size >= TOOLS) isCut = true
      else if (tool === null || found.has(tool.name)) skipped += 1
      else {
        found.set(tool.name, tool)
        left -= sizeOf(tool)
      }
      if (isCut) break
    }
    cursor = nextCursor
    if (cursor === undefined) break
  }
  const listed = [...found.values()]
  const names = toToolNames(
    server.name,
    listed.map(({ name }) => name),
  )
  return {
    tools: listed.map((tool, index) => ({ ...tool, exposedName: names[index]! })),
    skipped,
    isCut: isCut || cursor !== undefined,
  }
}

/** null: malformed, too large, or named with a secret. */
function parseTool(
  server: McpServer,
  raw: unknown,
  left: number,
): Omit<ListedTool, 'exposedName'> | null {
  const parsed = RemoteTool.safeParse(raw)
  if (!parsed.success) return null
  const { name, annotations } = parsed.data
  const inputSchema = parseSchema(server, parsed.data.inputSchema)
  if (inputSchema === null || hideSecrets(name, server) !== name) return null
  const description = hideSecrets(parsed.data.description, server)
    .slice(0, DESCRIPTION_CHARS)
    .toWellFormed()
  // The server's own word, and nobody checks it: whoever configures a server trusts it with this.
  // What it does not say it is not.
  const readOnly = annotations.readOnlyHint === true
  const repeatable = readOnly || annotations.idempotentHint === true
  const tool = { name, description, inputSchema, readOnly, repeatable }
  return sizeOf(tool) > left ? null : tool
}

function parseSchema(
  server: McpServer,
  schema: Record<string, unknown>,
): Record<string, unknown> | null {
  try {
    if (!isWithinDepth(schema, SCHEMA_DEPTH)) return null
    const text = JSON.stringify(schema)
    if (text.length > SCHEMA_CHARS) return null
    return JSON.parse(hideSecrets(text, server)) as Record<string, unknown>
  } catch {
    // A secret that looks like a piece of JSON was hidden in it.
    return null
  }
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((inner) => isWithinDepth(inner, depth - 1))
}

function sizeOf({ description, inputSchema }: Omit<ListedTool, 'exposedName'>): number {
  return description.length + JSON.stringify(inputSchema).length
}

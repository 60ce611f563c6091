// The arguments of a call as a form that people can fill in, and back. A call with anything but
// plain values is edited as the JSON that it is.

export type ArgumentField =
  | { name: string; type: 'text'; value: string }
  /** As it was typed: what is no number is said at the field, not rounded to one. */
  | { name: string; type: 'number'; value: string }
  | { name: string; type: 'switch'; value: boolean }

export type ArgumentProblem = { field: string | null; message: string }
export type ReadArguments = { ok: true; json: string } | ({ ok: false } & ArgumentProblem)

/** More than this is easier to read as JSON. */
const FIELDS = 12

/** Null: not a flat object of plain values. */
export function toFields(json: string): ArgumentField[] | null {
  const value = parseObject(json)
  if (value === null) return null
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.length > FIELDS) return null
  const fields = entries.map(([name, one]) => toField(name, one))
  return fields.every((field) => field !== null) ? fields : null
}

function toField(name: string, value: unknown): ArgumentField | null {
  if (typeof value === 'string') return { name, type: 'text', value }
  if (typeof value === 'boolean') return { name, type: 'switch', value }
  // A number that cannot be told from its neighbour must not come back as that neighbour.
  const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return isExact ? { name, type: 'number', value: String(value) } : null
}

export function readFields(fields: readonly ArgumentField[]): ReadArguments {
  const wrong = fields.find((field) => field.type === 'number' && !isNumber(field.value))
  if (wrong !== undefined) return { ok: false, field: wrong.name, message: 'This is not a number.' }
  const entries = fields.map((field): [string, unknown] => [
    field.name,
    field.type === 'number' ? Number(field.value) : field.value,
  ])
  return { ok: true, json: JSON.stringify(Object.fromEntries(entries)) }
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))

export function readJson(text: string): ReadArguments {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return { ok: true, json: JSON.stringify(value) }
    return { ok: false, field: null, message: 'Arguments are one object: { … }.' }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { ok: false, field: null, message: `This is not JSON: ${why}` }
  }
}

/** Spaces and line ends are no change. */
export const isSameJson = (a: string, b: string): boolean => {
  const [one, other] = [parseObject(a), parseObject(b)]
  return one !== null && other !== null && JSON.stringify(one) === JSON.stringify(other)
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

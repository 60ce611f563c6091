// Arguments of a tool call while they stream in: JSON that stops anywhere.

/** Enough to describe a call. A longer text is read as one that stops here. */
const READ_CHARS = 4096

/** The fields that are there so far; none if it is not the beginning of an object. Never throws. */
export function readPartialObject(json: string): Record<string, unknown> {
  const text = json.slice(0, READ_CHARS)
  const { whole, lastSafe } = closeJson(text)
  const value = parse(whole) ?? parse(lastSafe)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

/** `whole`: all of it, closed. `lastSafe`: without the member that may lack its value. */
function closeJson(text: string): { whole: string; lastSafe: string } {
  let closers = ''
  let isString = false
  let lastSafe = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (isString) {
      if (char === '\\') i++
      else if (char === '"') isString = false
    } else if (char === '"') isString = true
    else if (char === '{' || char === '[') {
      closers = (char === '{' ? '}' : ']') + closers
      lastSafe = text.slice(0, i + 1) + closers
    } else if (char === '}' || char === ']') closers = closers.slice(1)
    else if (char === ',') lastSafe = text.slice(0, i) + closers
  }
  // A string that stops inside an escape cannot be closed there.
  const end = isString ? `${text.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"` : text
  return { whole: end + closers, lastSafe }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

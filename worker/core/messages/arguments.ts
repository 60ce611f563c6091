// A model's arguments are hostile: any text at all, as deep as it likes.

/** Deeper than any tool takes, and far from where serialising overflows the stack. */
const DEPTH = 100

/** The object that `text` stands for; `{}` where it stands for none. */
export function parseArguments(text: string): Record<string, unknown> {
  if (isTooDeep(text)) return {}
  try {
    const value = JSON.parse(text) as unknown
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : {}
  } catch {
    // Cut off or never JSON: the call was answered with an error that says so.
    return {}
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') isString = !isString
    else if (isString) at += char === '\\' ? 1 : 0
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') depth -= 1
    if (depth > DEPTH) return true
  }
  return false
}

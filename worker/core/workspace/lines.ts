// What a line is, in one place: what a person is shown, a tool counts and a hunk names must agree.

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/**
 * Null for what is no text. A NUL is in every picture and archive and in no source file, and what
 * is not UTF-8 could not be written back as it was. A byte order mark stays: it is a byte of the file.
 */
export function toText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

export const toBytes = (text: string): Uint8Array => encoder.encode(text)

/** Each with its ending: `\n`, `\r\n` or a lone `\r`. Joined they are the text again. */
export function splitLines(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit !== 10 && unit !== 13) continue
    if (unit === 13 && text.charCodeAt(i + 1) === 10) i++
    lines.push(text.slice(start, i + 1))
    start = i + 1
  }
  if (start < text.length) lines.push(text.slice(start))
  return lines
}

export function endingOf(line: string): string {
  if (line.endsWith('\r\n')) return '\r\n'
  const last = line.at(-1)
  return last === '\n' || last === '\r' ? last : ''
}

export const withoutEnding = (line: string): string =>
  line.slice(0, line.length - endingOf(line).length)

/** The ending of every line that has one; null where they differ, or where there is none. */
export function commonEnding(lines: readonly string[]): string | null {
  let common: string | null = null
  for (const line of lines) {
    const ending = endingOf(line)
    if (ending === '') continue
    if (common !== null && common !== ending) return null
    common = ending
  }
  return common
}

/** One number for each different line, so that comparing two of them does not read them. */
export function toNumbers(...texts: readonly (readonly string[])[]): number[][] {
  const numbers = new Map<string, number>()
  return texts.map((lines) =>
    lines.map((line) => {
      const known = numbers.get(line)
      if (known !== undefined) return known
      numbers.set(line, numbers.size)
      return numbers.size - 1
    }),
  )
}

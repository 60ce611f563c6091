// TOOL5: a `think` call's argument is read while it streams, so that its thought can be shown as
// thinking. Reads the string value of "thought" out of incomplete JSON.

const START = /"thought"\s*:\s*"/
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

export class ThoughtReader {
  private raw = ''
  private at = -1
  private ended = false

  /** The part of the thought that `chunk` completes. */
  push(chunk: string): string {
    this.raw += chunk
    if (this.ended) return ''
    if (this.at < 0) {
      const match = START.exec(this.raw)
      if (match === null) return ''
      this.at = match.index + match[0].length
    }
    return this.decode()
  }

  private decode(): string {
    let text = ''
    while (this.at < this.raw.length) {
      const char = this.raw[this.at]!
      if (char === '"') {
        this.ended = true
        break
      }
      if (char !== '\\') {
        text += char
        this.at += 1
        continue
      }
      const escape = this.raw[this.at + 1]
      const length = escape === 'u' ? 6 : 2
      // An escape that is not all here yet: wait for the rest.
      if (this.at + length > this.raw.length) break
      text += this.unescape(escape!)
      this.at += length
    }
    return text
  }

  private unescape(escape: string): string {
    if (escape !== 'u') return ESCAPES[escape] ?? ''
    const code = Number.parseInt(this.raw.slice(this.at + 2, this.at + 6), 16)
    return Number.isNaN(code) ? '' : String.fromCharCode(code)
  }
}

/** Text in lines and paragraphs from pieces that say where one begins. Bounded. */
export class TextWriter {
  isFull = false
  /** Characters of words so far: who asks twice knows whether there were any between. */
  length = 0
  private readonly maxChars: number
  private readonly parts: string[] = []
  private written = 0
  /** Wanted before the next words; never more than an empty line, and none at the start. */
  private breaks = 0
  private hasSpace = false
  /** A bullet or a heading's mark: written only when words follow it. */
  private waiting = ''

  constructor(maxChars: number) {
    this.maxChars = maxChars
  }

  line(): void {
    this.breaks = Math.max(this.breaks, 1)
  }

  paragraph(): void {
    this.breaks = 2
  }

  prefix(text: string): void {
    this.line()
    this.waiting = text
  }

  /** Whitespace as HTML has it: any run is one space. */
  words(text: string): void {
    const inner = text.replace(/[\s\u200b\ufeff]+/g, ' ').trim()
    if (/^[\s\u200b\ufeff]/.test(text)) this.hasSpace = true
    if (inner === '') return
    this.begin()
    this.put(inner)
    this.length += inner.length
    this.hasSpace = /\s$/.test(text)
  }

  preformatted(text: string): void {
    if (text === '') return
    if (this.breaks > 0 || this.written === 0) text = text.replace(/^\r?\n/, '')
    if (text === '') return
    this.hasSpace = false
    this.begin()
    this.put(text)
    this.length += text.length
  }

  /** Between two pieces of one line, where something stands before it. */
  mark(text: string): void {
    if (this.breaks > 0 || this.written === 0) return
    this.put(text)
    this.hasSpace = false
  }

  /** Directly behind the last words. */
  suffix(text: string): void {
    this.put(text)
  }

  text(): string {
    return this.parts.join('').trimEnd()
  }

  private begin(): void {
    if (this.written > 0 && this.breaks > 0) this.put('\n'.repeat(this.breaks))
    else if (this.written > 0 && this.hasSpace) this.put(' ')
    this.put(this.waiting)
    this.breaks = 0
    this.hasSpace = false
    this.waiting = ''
  }

  private put(text: string): void {
    const kept = text.slice(0, this.maxChars - this.written)
    if (kept.length < text.length) this.isFull = true
    if (kept === '') return
    this.parts.push(kept)
    this.written += kept.length
  }
}

// RUN7: a model that goes on from a text that broke off may say its last words again. What it
// repeats exactly, from the seam on, is cut; everything else is kept.

/** Shorter than this a repetition is chance, unless it is whole words. */
const MIN_CHARS = 5
const MIN_WORD_CHARS = 2
/** How far back a repetition may begin. */
const LOOK_BACK_CHARS = 16_384

export class SeamCutter {
  private readonly before: string
  private held = ''
  private isOpen: boolean

  constructor(before: string) {
    this.before = before.slice(-LOOK_BACK_CHARS)
    this.isOpen = before !== ''
  }

  /** The part of the new text that may be shown now. */
  push(text: string): string {
    if (!this.isOpen) return text
    this.held += text
    // As long as it could all be repetition, it waits.
    return this.before.includes(this.held) ? '' : this.end()
  }

  /** Nothing more comes: what was held, without what it repeats. */
  end(): string {
    // A model that takes over may think first: the seam is where its first word will be.
    if (!this.isOpen || this.held === '') return ''
    this.isOpen = false
    return this.held.slice(this.overlap())
  }

  private overlap(): number {
    const { before, held } = this
    for (let size = Math.min(before.length, held.length); size >= MIN_WORD_CHARS; size--) {
      if (!before.endsWith(held.slice(0, size))) continue
      const start = before.length - size
      const isWord = start === 0 || /\s/.test(before[start - 1]!) || /\s/.test(before[start]!)
      return size >= MIN_CHARS || (isWord && held.slice(0, size).trim().length >= MIN_WORD_CHARS)
        ? size
        : 0
    }
    return 0
  }
}

// Servers without a parser for a model's thoughts send them as the beginning of its text:
// `<think>…</think>`. Only there: further on, the tag is something that the model writes about.

const OPEN = '<think>'
const CLOSE = '</think>'
/** Blank text before the tag: some templates write a line or two. */
const BLANK_CHARS = 64

export type Say = (type: 'text' | 'thinking', text: string) => void

export class ThinkTags {
  private at: 'start' | 'thought' | 'after' | 'text' = 'start'
  /** What may be the beginning of a tag. */
  private held = ''
  private hasThought = false

  /** All that comes now is text. */
  get isOver(): boolean {
    return this.at === 'text'
  }

  push(text: string, say: Say): void {
    if (this.at === 'text') return say('text', text)
    this.held += text
    if (this.at === 'start') this.readStart(say)
    if (this.at === 'thought') this.readThought(say)
    if (this.at === 'after') this.readAfter(say)
  }

  /** The text goes no further, or a thought came as one: what was held is what it looks like. */
  end(say: Say): void {
    const { held, at } = this
    this.at = 'text'
    this.held = ''
    if (held !== '' && at !== 'after') say(at === 'thought' ? 'thinking' : 'text', held)
  }

  private readStart(say: Say): void {
    const text = this.held.trimStart()
    if (this.held.length - text.length > BLANK_CHARS) this.end(say)
    else if (text.startsWith(OPEN)) {
      this.held = text.slice(OPEN.length)
      this.at = 'thought'
    } else if (!OPEN.startsWith(text)) this.end(say)
  }

  private readThought(say: Say): void {
    // A model that is told not to think sends the tags with nothing but lines between them.
    if (!this.hasThought) this.held = this.held.trimStart()
    const close = this.held.indexOf(CLOSE)
    const end = close === -1 ? this.held.length - tagStart(this.held) : close
    if (end > 0) {
      this.hasThought = true
      say('thinking', this.held.slice(0, end))
    }
    this.held = this.held.slice(close === -1 ? end : close + CLOSE.length)
    if (close !== -1) this.at = 'after'
  }

  private readAfter(say: Say): void {
    const text = this.held.trimStart()
    this.held = ''
    if (text === '') return
    this.at = 'text'
    say('text', text)
  }
}

/** How many of the last characters may be the first of the closing tag. */
function tagStart(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (CLOSE.startsWith(text.slice(-length))) return length
  }
  return 0
}

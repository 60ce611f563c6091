// Markdown as a list of top-level blocks, each with a key that decides its HTML. While text grows,
// only what follows the last blocks that are certain is read again.

import { Marked } from 'marked'
import type { Token } from 'marked'
import { closeInline } from './close-inline.ts'

export type Block = { key: string; token: Token; hasHtml: boolean }

export const marked = new Marked({
  gfm: true,
  renderer: {
    // A form control in a transcript invites clicks that do nothing.
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
})

type Lexed = { blocks: Block[]; hasDefinitions: boolean }

function lex(text: string): Lexed {
  const tokens = marked.lexer(text)
  // A definition at the end changes links above it, so it belongs to every block's key.
  const links = tokens.links
  const hasDefinitions = Object.keys(links).length > 0
  const prefix = hasDefinitions ? JSON.stringify(links) : ''
  return {
    blocks: tokens.map((token) => ({
      key: `${prefix}${token.type}:${token.raw}`,
      token,
      hasHtml: containsHtml(token),
    })),
    hasDefinitions,
  }
}

function containsHtml(token: Token): boolean {
  let isFound = false
  // Without asynchronous extensions there is nothing to wait for.
  void marked.walkTokens([token], (inner) => {
    isFound ||= inner.type === 'html'
  })
  return isFound
}

/** All of it, from the start: what a finished text is, however it came. */
export const lexBlocks = (text: string): Block[] => withoutSpace(lex(text).blocks)

const isSpace = (block: Block): boolean => block.token.type === 'space'
const isVisible = (block: Block): boolean => !isSpace(block) && block.token.type !== 'def'
const withoutSpace = (blocks: Block[]): Block[] => blocks.filter(isVisible)

/** Text may still join the last of these: an indented line after a list, a second table row. */
const UNCERTAIN_BLOCKS = 2

export class GrowingBlocks {
  #certain: Block[] = []
  #certainText = ''

  update(text: string): Block[] {
    if (!text.startsWith(this.#certainText)) this.#reset()
    const { blocks, hasDefinitions } = lex(text.slice(this.#certainText.length))
    if (hasDefinitions && this.#certain.length > 0) {
      this.#reset()
      return closeLast(lex(text).blocks)
    }
    const shown = closeLast([...this.#certain, ...blocks])
    if (!hasDefinitions) this.#settle(blocks)
    return shown
  }

  #settle(blocks: Block[]): void {
    let keep = blocks.length
    for (let uncertain = 0; keep > 0 && uncertain < UNCERTAIN_BLOCKS; keep--) {
      if (!isSpace(blocks[keep - 1]!)) uncertain++
    }
    const settled = blocks.slice(0, keep)
    this.#certain.push(...settled)
    this.#certainText += settled.map((block) => block.token.raw).join('')
  }

  #reset(): void {
    this.#certain = []
    this.#certainText = ''
  }
}

const CLOSABLE = new Set(['paragraph', 'heading', 'list', 'blockquote', 'text'])

function closeLast(blocks: Block[]): Block[] {
  const visible = withoutSpace(blocks)
  const last = visible.at(-1)
  if (last === undefined || !CLOSABLE.has(last.token.type)) return visible
  const closed = closeInline(last.token.raw)
  return closed === last.token.raw ? visible : [...visible.slice(0, -1), ...lexBlocks(closed)]
}

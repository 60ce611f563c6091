// HTML to text for a model to read. Built on the tokenizer of htmlparser2 alone: it needs no DOM, so
// it runs in workerd and in Node (HTMLRewriter is only in workerd), and it is linear in the page. Its
// Parser is not: it searches the stack of open elements at each end tag, so a megabyte of `<a>` and
// `</b>` takes minutes. What is kept here instead of a tree are a few counters.

import { shorten } from '#protocol/text'
import { Tokenizer } from 'htmlparser2'
import { TextWriter } from './text-writer.ts'

/** Never text. What is in them stays in them, headings too. */
const DROPPED: ReadonlySet<string> = new Set(
  'script style template noscript iframe noembed noframes'.split(' '),
)
/** Pictures, players, and text for moving around in a site. */
const ASIDE: ReadonlySet<string> = new Set(
  'svg math object canvas audio video nav footer button select textarea dialog'.split(' '),
)
/** Where these begin, the content does: an unclosed nav must not swallow the page. */
const CONTENT: ReadonlySet<string> = new Set(['main', 'article', 'h1', 'body'])
/** Here alone HTML heeds the slash of `<path />`, and a style is a tag like any other. */
const FOREIGN: ReadonlySet<string> = new Set(['svg', 'math'])
const PARAGRAPHS: ReadonlySet<string> = new Set(
  'p blockquote pre table ul ol dl article section main header aside figure form details'.split(
    ' ',
  ),
)
const LINES: ReadonlySet<string> = new Set(
  'div tr dt dd li br hr option caption figcaption summary address fieldset legend'.split(' '),
)
const HEADING = /^h[1-6]$/
const READ_ATTRIBUTES: Readonly<Record<string, string>> = { a: 'href', img: 'alt', base: 'href' }

/** Deeper lists keep the indentation of this one. */
const LIST_DEPTH = 8
const ATTRIBUTE_CHARS = 2048
const TITLE_CHARS = 300

export type PageText = { title: string; text: string; truncated: boolean }
/** XML: any tag may close itself. */
export type PageOptions = { maxChars: number; isXml?: boolean }

export function htmlToText(html: string, address: URL, options: PageOptions): PageText {
  const page = new PageReader(html, address, options)
  return page.read()
}

const ignore = (): void => {}

class PageReader {
  private readonly html: string
  private readonly out: TextWriter
  private readonly tokenizer: Tokenizer
  private readonly isXml: boolean
  private base: URL
  private hasBase = false
  private title = ''
  private isTitle = false
  private tag = ''
  private attributeName = ''
  private attribute = ''
  /** The element whose content is dropped, and how many of its name are open in it. */
  private skipped: { tag: string; open: number; foreignOpen: number } | null = null
  private link: { href: string; from: number } | null = null
  private preOpen = 0
  /** Next number of each open list, null for one without numbers. Only the outer ones are kept. */
  private readonly lists: (number | null)[] = []
  private listOpen = 0
  private cells = 0

  constructor(html: string, address: URL, { maxChars, isXml = false }: PageOptions) {
    this.html = html
    this.base = address
    this.isXml = isXml
    this.out = new TextWriter(maxChars)
    this.tokenizer = new Tokenizer(
      { decodeEntities: true, recognizeSelfClosing: isXml },
      {
        ontext: (start, end) => this.readText(html.slice(start, end)),
        ontextentity: (code) => this.readText(String.fromCodePoint(code)),
        onopentagname: (start, end) => this.beginTag(html.slice(start, end).toLowerCase()),
        onattribname: (start, end) => this.beginAttribute(html.slice(start, end).toLowerCase()),
        onattribdata: (start, end) => this.readAttribute(html.slice(start, end)),
        onattribentity: (code) => this.readAttribute(String.fromCodePoint(code)),
        onattribend: ignore,
        onopentagend: () => this.openTag(),
        onselfclosingtag: () => this.openClosedTag(),
        isInForeignContext: () => (this.skipped?.foreignOpen ?? 0) > 0,
        onclosetag: (start, end) => this.closeTag(html.slice(start, end).toLowerCase()),
        oncdata: ignore,
        oncomment: ignore,
        ondeclaration: ignore,
        onprocessinginstruction: ignore,
        onend: () => this.endLink(),
      },
    )
  }

  read(): PageText {
    this.tokenizer.write(this.html)
    this.tokenizer.end()
    const title = shorten(this.title.replace(/\s+/g, ' ').trim(), TITLE_CHARS)
    return { title, text: this.out.text(), truncated: this.out.isFull }
  }

  private readText(text: string): void {
    if (this.isTitle) {
      if (this.title.length < 2 * TITLE_CHARS) this.title += text.slice(0, 2 * TITLE_CHARS)
      return
    }
    if (this.skipped !== null) return
    if (this.preOpen > 0) this.out.preformatted(text)
    else this.out.words(text)
    // Nothing more is kept: a hostile page is not read to its end.
    if (this.out.isFull) this.tokenizer.pause()
  }

  private beginTag(tag: string): void {
    this.tag = tag
    this.attributeName = ''
    this.attribute = ''
  }

  private beginAttribute(name: string): void {
    this.attributeName = name
    // The first of a name counts.
    if (this.isRead() && this.attribute !== '') this.attributeName = ''
  }

  private readAttribute(text: string): void {
    if (!this.isRead() || this.attribute.length > ATTRIBUTE_CHARS) return
    this.attribute += text.slice(0, ATTRIBUTE_CHARS + 1)
  }

  private isRead(): boolean {
    return (
      Object.hasOwn(READ_ATTRIBUTES, this.tag) && READ_ATTRIBUTES[this.tag] === this.attributeName
    )
  }

  /** `<br/>`. HTML ignores the slash, but for elements that have no end anyway. */
  private openClosedTag(): void {
    const { tag } = this
    this.openTag()
    if (this.isXml || FOREIGN.has(tag)) this.closeTag(tag)
  }

  private openTag(): void {
    const { tag, attribute, out } = this
    if (this.isSkipped()) return
    if (DROPPED.has(tag) || ASIDE.has(tag)) {
      this.skipped = { tag, open: 1, foreignOpen: FOREIGN.has(tag) ? 1 : 0 }
      return
    }
    this.breakAt(tag)
    switch (tag) {
      case 'title':
        this.isTitle = true
        return
      case 'base':
        return this.setBase(attribute)
      case 'a':
        this.endLink()
        this.link = { href: attribute, from: out.length }
        return
      case 'img':
        if (attribute.trim() !== '') out.words(` [image: ${attribute.slice(0, 200).trim()}] `)
        return
      case 'pre':
        this.preOpen++
        return
      case 'ul':
      case 'ol':
        if (++this.listOpen <= LIST_DEPTH) this.lists.push(tag === 'ol' ? 1 : null)
        return
      case 'li':
        return this.beginItem()
      case 'tr':
        this.cells = 0
        return
      case 'td':
      case 'th':
        if (this.cells++ > 0) out.mark(' | ')
        return
      default:
        if (HEADING.test(tag)) out.prefix(`${'#'.repeat(Number(tag[1]))} `)
    }
  }

  /** Counts a tag inside of what is dropped, or ends the dropping. */
  private isSkipped(): boolean {
    const { tag, skipped } = this
    if (skipped === null) return false
    if (CONTENT.has(tag) && ASIDE.has(skipped.tag)) {
      this.skipped = null
      return false
    }
    if (FOREIGN.has(tag)) skipped.foreignOpen++
    if (tag === skipped.tag) skipped.open++
    return true
  }

  /** The first one counts. A long one would be read again for each link of the page. */
  private setBase(href: string): void {
    if (this.hasBase) return
    this.hasBase = true
    const base = URL.parse(href, this.base.href)
    if (base !== null && base.href.length <= ATTRIBUTE_CHARS) this.base = base
  }

  private beginItem(): void {
    const number = this.lists.at(-1) ?? null
    if (number !== null) this.lists[this.lists.length - 1] = number + 1
    const indent = '  '.repeat(Math.max(0, this.lists.length - 1))
    this.out.prefix(`${indent}${number === null ? '-' : `${number}.`} `)
  }

  private closeTag(tag: string): void {
    if (tag === 'title') this.isTitle = false
    const { skipped } = this
    if (skipped !== null) {
      if (FOREIGN.has(tag) && skipped.foreignOpen > 0) skipped.foreignOpen--
      if (tag === skipped.tag && --skipped.open === 0) this.skipped = null
      return
    }
    if (tag === 'a') this.endLink()
    if (tag === 'pre' && this.preOpen > 0) this.preOpen--
    if ((tag === 'ul' || tag === 'ol') && this.listOpen > 0 && --this.listOpen < LIST_DEPTH) {
      this.lists.pop()
    }
    this.breakAt(tag)
  }

  private breakAt(tag: string): void {
    const { out } = this
    if (HEADING.test(tag)) out.paragraph()
    // A list inside of another is no paragraph of its own, nor is one inside of an item.
    else if (PARAGRAPHS.has(tag) && this.listOpen === 0) out.paragraph()
    else if (PARAGRAPHS.has(tag) || LINES.has(tag)) out.line()
  }

  private endLink(): void {
    if (this.link === null) return
    const { href, from } = this.link
    this.link = null
    // A link without words is decoration; one within the page leads nowhere a model can go.
    if (this.out.length === from || href === '' || href.startsWith('#')) return
    if (href.length > ATTRIBUTE_CHARS) return
    const url = URL.parse(href, this.base.href)
    if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return
    this.out.suffix(` (${url.href})`)
  }
}

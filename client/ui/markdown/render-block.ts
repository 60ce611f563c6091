// One block of markdown as DOM. Raw HTML goes through the sanitizer; everything then goes through
// `tame`, while the nodes still belong to an inert document: nothing that could reach the network,
// run, or dress up as a part of the page leaves it.

import type { Tokens } from 'marked'
import { buildCodeBlock } from './code-block.ts'
import { marked, type Block } from './lex-blocks.ts'
import { ALLOWED_ATTRIBUTES, ALLOWED_TAGS, askForPurifier, type Purify } from './purifier.ts'

export function renderBlock(block: Block, purify: Purify | null): Node[] {
  const { token } = block
  if (token.type === 'code') {
    const { text, lang } = token as Tokens.Code
    return [buildCodeBlock(text, lang ?? '')]
  }
  const fragment = toFragment(block, purify)
  tame(fragment)
  return [...fragment.childNodes].filter((node) => !isWhitespace(node))
}

function toFragment({ token, hasHtml }: Block, purify: Purify | null): DocumentFragment {
  if (!hasHtml) return parseInert(marked.parser([token]))
  if (purify !== null) return purify(marked.parser([token]))
  askForPurifier()
  const fragment = parseInert('<p></p>')
  fragment.firstElementChild!.textContent = token.raw
  return fragment
}

function parseInert(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content
}

const isWhitespace = (node: Node): boolean =>
  node.nodeType === Node.TEXT_NODE && node.textContent?.trim() === ''

function tame(fragment: DocumentFragment): void {
  for (const element of fragment.querySelectorAll('*')) restrict(element)
  for (const image of fragment.querySelectorAll('img')) image.replaceWith(toImageLink(image))
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  for (const pre of fragment.querySelectorAll('pre')) {
    const language = /(?:^|\s)language-(\S+)/.exec(pre.firstElementChild?.className ?? '')?.[1]
    pre.replaceWith(buildCodeBlock((pre.textContent ?? '').replace(/\n$/, ''), language ?? ''))
  }
  for (const item of fragment.querySelectorAll('li')) {
    if (/^\s*[☑☐]/.test(item.textContent ?? '')) item.className = 'task'
  }
  for (const table of fragment.querySelectorAll('table')) {
    const wrap = document.createElement('div')
    wrap.className = 'table-wrap'
    table.replaceWith(wrap)
    wrap.append(table)
  }
}

const LINK_PROTOCOLS = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/** A second gate behind the escaping of one library and the sanitizing of another. */
function restrict(element: Element): void {
  if (!ALLOWED_TAGS.has(element.localName)) {
    element.replaceWith(element.textContent ?? '')
    return
  }
  for (const name of element.getAttributeNames()) {
    if (!mayKeep(element, name)) element.removeAttribute(name)
  }
}

function mayKeep(element: Element, name: string): boolean {
  if (name === 'class') return element.parentElement?.localName === 'pre'
  if (name === 'href') return isFollowable(element.getAttribute(name) ?? '')
  return ALLOWED_ATTRIBUTES.has(name)
}

function isFollowable(href: string): boolean {
  const url = URL.parse(href, location.href)
  return url !== null && LINK_PROTOCOLS.has(url.protocol)
}

/** Loading it would tell a stranger's server that this was read: a person may follow the link. */
function toImageLink(image: HTMLImageElement): Node {
  const label = image.getAttribute('alt') || 'image'
  const source = image.getAttribute('src') ?? ''
  if (!/^https?:/i.test(source) || image.closest('a') !== null) {
    return document.createTextNode(label)
  }
  const link = document.createElement('a')
  link.href = source
  link.textContent = `Image: ${label}`
  return link
}

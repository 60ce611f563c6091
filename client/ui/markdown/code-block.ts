import { highlight } from './highlight.ts'

export function buildCodeBlock(text: string, info: string): HTMLElement {
  const language = /^[\w+#.-]*/.exec(info)?.[0] ?? ''
  const figure = create('figure', 'code-block')
  const bar = create('figcaption', 'code-bar')
  const name = create('span', 'code-language')
  name.textContent = language === '' ? 'text' : language
  const copy = create('button', 'copy-code')
  copy.setAttribute('type', 'button')
  copy.textContent = 'Copy'
  bar.append(name, copy)
  const pre = document.createElement('pre')
  const code = document.createElement('code')
  code.append(...toColouredNodes(text, language))
  pre.append(code)
  figure.append(bar, pre)
  return figure
}

function toColouredNodes(text: string, language: string): Node[] {
  return highlight(text, language).map((piece) => {
    if (piece.kind === 'plain') return document.createTextNode(piece.text)
    const span = create('span', `hl-${piece.kind}`)
    span.textContent = piece.text
    return span
  })
}

function create(tag: string, className: string): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  return element
}

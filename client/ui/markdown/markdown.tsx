import { useLayoutEffect, useRef } from 'preact/hooks'
import { copyText } from '../copy-text.ts'
import { memo } from '../memo.ts'
import type { Block } from './lex-blocks.ts'
import { GrowingBlocks, lexBlocks } from './lex-blocks.ts'
import { purifier, type Purify } from './purifier.ts'
import { renderBlock } from './render-block.ts'

type Rendered = { key: string; nodes: Node[] }
type Props = { text: string; isDone: boolean }

const COPIED_MS = 1200

/** Blocks are direct children with nothing around them, so streamed and loaded text are one DOM. */
export const Markdown = memo(({ text, isDone }: Props) => {
  const purify = purifier.value
  const root = useRef<HTMLDivElement>(null)
  const growing = useRef<GrowingBlocks | null>(null)
  const rendered = useRef<Rendered[]>([])
  useLayoutEffect(() => {
    const blocks = isDone ? lexBlocks(text) : (growing.current ??= new GrowingBlocks()).update(text)
    rendered.current = reconcile(root.current!, rendered.current, blocks, purify)
  }, [text, isDone, purify])
  return <div class="markdown" ref={root} onClick={handleCopyClick} />
})

function reconcile(
  root: HTMLElement,
  held: Rendered[],
  blocks: Block[],
  purify: Purify | null,
): Rendered[] {
  const keys = blocks.map(({ key, hasHtml }) => (hasHtml ? `${purify !== null}:${key}` : key))
  let same = 0
  while (same < held.length && held[same]!.key === keys[same]) same++
  for (const { nodes } of held.slice(same)) for (const node of nodes) root.removeChild(node)
  const fresh = blocks
    .slice(same)
    .map((block, index) => ({ key: keys[same + index]!, nodes: renderBlock(block, purify) }))
  root.append(...fresh.flatMap(({ nodes }) => nodes))
  return [...held.slice(0, same), ...fresh]
}

function handleCopyClick(event: MouseEvent): void {
  const button = (event.target as Element).closest('.copy-code')
  const code = button?.closest('.code-block')?.querySelector('code')
  if (!(button instanceof HTMLElement) || !code) return
  void copyText(code.textContent ?? '').then((isCopied) => {
    button.textContent = isCopied ? 'Copied' : 'Failed'
    setTimeout(() => (button.textContent = 'Copy'), COPIED_MS)
  })
}

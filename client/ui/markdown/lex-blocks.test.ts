import { expect, test } from 'vitest'
import { GrowingBlocks, lexBlocks } from './lex-blocks.ts'

const TEXT = `# Title

A paragraph with **strong** words, \`code\` and a [link](https://example.org).

1. one
2. two
   - nested

   still in the list

> quoted
> twice

| a | b |
| --- | ---: |
| 1 | 2 |

\`\`\`ts
const x = 1

const y = 2
\`\`\`

Setext
------

    indented

<div>

raw <b>html</b>

</div>

- [x] done

***

The end.`

const keys = (blocks: { key: string }[]): string[] => blocks.map(({ key }) => key)

test('[MED3] text that grew in any steps ends as the blocks of the whole', () => {
  for (const step of [1, 2, 3, 7, 31]) {
    const growing = new GrowingBlocks()
    for (let end = step; end < TEXT.length; end += step) growing.update(TEXT.slice(0, end))
    expect(keys(growing.update(TEXT)), `in steps of ${step}`).toEqual(keys(lexBlocks(TEXT)))
  }
})

test('[MED3] while text grows, blocks that are certain are not read again', () => {
  const growing = new GrowingBlocks()
  const first = growing.update('one\n\ntwo\n\nthree\n\nfour')
  const second = growing.update('one\n\ntwo\n\nthree\n\nfour and more')
  expect(second[0]).toBe(first[0])
  expect(second[1]).toBe(first[1])
})

test('[MED3] text that is not a continuation starts over', () => {
  const growing = new GrowingBlocks()
  growing.update('one\n\ntwo\n\nthree\n\nfour')
  expect(keys(growing.update('another\n\ntext'))).toEqual(keys(lexBlocks('another\n\ntext')))
})

test('[MED3] a definition at the end reaches the link above it', () => {
  const growing = new GrowingBlocks()
  const link = 'See [it][1].\n\nA\n\nB\n\nC'
  const before = growing.update(link)
  const after = growing.update(`${link}\n\n[1]: https://example.org`)
  expect(after[0]?.key).not.toBe(before[0]?.key)
  expect(keys(after)).toEqual(keys(lexBlocks(`${link}\n\n[1]: https://example.org`)))
})

test('only blocks with raw HTML say so', () => {
  const blocks = lexBlocks('plain *text*\n\n- a <b>tag</b> in a list\n\n`<code>`')
  expect(blocks.map(({ hasHtml }) => hasHtml)).toEqual([false, true, false])
})

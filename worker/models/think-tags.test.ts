import { describe, expect, test } from 'vitest'
import { ThinkTags } from './think-tags.ts'

function read(pieces: readonly string[]): { thinking: string; text: string } {
  const said = { thinking: '', text: '' }
  const tags = new ThinkTags()
  const say = (type: 'text' | 'thinking', text: string): void => {
    // What is thought comes before what is said.
    if (type === 'thinking') expect(said.text).toBe('')
    said[type] += text
  }
  for (const piece of pieces) tags.push(piece, say)
  tags.end(say)
  return said
}

const CASES: [sent: string, thinking: string, text: string][] = [
  ['<think>\nHm 🤔.\n</think>\n\nYes.', 'Hm 🤔.\n', 'Yes.'],
  ['\n <think>a</think>b', 'a', 'b'],
  ['<think>\n\n</think>\n\nYes.', '', 'Yes.'],
  ['<think></think>', '', ''],
  ['<think>a < b, </b>, </thin and </think</think>so', 'a < b, </b>, </thin and </think', 'so'],
  ['<think>never ends </thi', 'never ends </thi', ''],
  ['<think>a</think> x <think>b</think> y', 'a', 'x <think>b</think> y'],
  ['<thinking>a</thinking>', '', '<thinking>a</thinking>'],
  ['<thi', '', '<thi'],
  ['  \n', '', '  \n'],
  ['The tag <think>a</think> is said', '', 'The tag <think>a</think> is said'],
  ['plain', '', 'plain'],
  [`${' '.repeat(100)}<think>a</think>`, '', `${' '.repeat(100)}<think>a</think>`],
]

describe('[BAK1] thoughts in tags', () => {
  test.each(CASES)('of %j are told from the text, however they are cut', (sent, thinking, text) => {
    const expected = { thinking, text }
    expect(read([sent])).toEqual(expected)
    expect(read(Array.from({ length: sent.length }, (_, at) => sent[at]!))).toEqual(expected)
    for (let at = 1; at < sent.length; at++) {
      expect(read([sent.slice(0, at), sent.slice(at)]), `cut at ${at}`).toEqual(expected)
    }
  })

  test('hold nothing back but what may be a tag', () => {
    const tags = new ThinkTags()
    const said: string[] = []
    const say = (_: string, text: string) => said.push(text)
    tags.push('<think>a', say)
    tags.push('b</', say)
    tags.push('c', say)
    expect(said).toEqual(['a', 'b', '</c'])
  })
})

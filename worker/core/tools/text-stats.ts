import { z } from 'zod'
import type { Tool } from './tool.ts'

/** Segmenting is the slowest step: about a tenth of a second for this much. */
const TEXT_CHARS = 200_000
/** Silent reading of prose, in words. */
const WORDS_PER_MINUTE = 230

const input = z.strictObject({
  text: z.string().max(TEXT_CHARS).describe('The text to measure.'),
})

export const textStats: Tool<z.infer<typeof input>> = {
  name: 'text_stats',
  description: 'Characters, words, sentences, lines and reading time of a text, in any script.',
  input,
  repeatable: true,
  readOnly: true,
  run: ({ text }) => Promise.resolve(describeText(text)),
}

function describeText(text: string): string {
  const words = countSegments(text, 'word', (segment) => segment.isWordLike === true)
  const seconds = Math.ceil((words / WORDS_PER_MINUTE) * 60)
  return [
    `characters: ${countSegments(text, 'grapheme', () => true)}`,
    `words: ${words}`,
    `sentences: ${countSegments(text, 'sentence', ({ segment }) => segment.trim() !== '')}`,
    `lines: ${text === '' ? 0 : text.replace(/\r?\n$/, '').split('\n').length}`,
    `reading time: ${seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`}`,
  ].join('\n')
}

function countSegments(
  text: string,
  granularity: 'grapheme' | 'word' | 'sentence',
  counts: (segment: Intl.SegmentData) => boolean,
): number {
  let count = 0
  for (const segment of new Intl.Segmenter('en', { granularity }).segment(text)) {
    if (counts(segment)) count++
  }
  return count
}

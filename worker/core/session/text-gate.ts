// RUN6: a text part shows nothing until enough word characters have arrived, so that half-open
// markdown never flashes; after that, text without a word character waits for the next text.

import { GATE_WORD_CHARS } from '#protocol/limits'

const WORD = /[\p{L}\p{N}]/u
const WORDS = /[\p{L}\p{N}]/gu

export type TextGate = { wordChars: number }

export const closedGate = (): TextGate => ({ wordChars: 0 })

/** Whether everything up to and including `chunk` may be shown. */
export function passGate(gate: TextGate, chunk: string): boolean {
  if (gate.wordChars >= GATE_WORD_CHARS) return WORD.test(chunk)
  gate.wordChars += chunk.match(WORDS)?.length ?? 0
  return gate.wordChars >= GATE_WORD_CHARS
}

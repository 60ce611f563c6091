// Tokenizers as they differ in the world: what each takes for prose, code, JSON, Chinese and emoji is
// within what published ones take. No vocabulary is needed to prove a count right within a tenth.

import type { ModelMessage, ModelRequest } from '../../core/session/model.ts'

export type Tokenizer = (text: string) => number

/** What a provider wraps around a request, in tokens. */
export type Wrapping = { request: number; message: number }

const isIdeograph = (code: number): boolean =>
  (code >= 0x2e80 && code < 0xd7b0) || (code >= 0xff00 && code < 0xfff0)

const PIECES =
  /[A-Z]?[a-z]+|[A-Z]+|\d{1,3}|[^\0-\u007f]|\n *|[^\sA-Za-z0-9\u0080-\u{10ffff}]{1,2}/gu

type Rates = { letters: number; ideograph: number; emoji: number; symbols: number }

/** Words and pieces of long ones, numbers by threes, symbols by twos, a line break with its indent. */
const byPieces =
  ({ letters, ideograph, emoji, symbols }: Rates): Tokenizer =>
  (text) => {
    let tokens = 0
    for (const [piece] of text.matchAll(PIECES)) {
      const code = piece.codePointAt(0)!
      if (code > 0xffff) tokens += emoji
      else if (isIdeograph(code)) tokens += ideograph
      else if (code > 0x7f) tokens += 0.7
      else if (/[a-z]/i.test(piece)) tokens += Math.ceil(piece.length / letters)
      else tokens += /[\d\n]/.test(piece) ? 1 : symbols
    }
    return Math.ceil(tokens)
  }

/** So many characters a token, whatever they are. */
const byCharacters =
  (perToken: number, ideograph: number, emoji: number): Tokenizer =>
  (text) => {
    let tokens = 0
    for (const char of text) {
      const code = char.codePointAt(0)!
      if (code < 0x80) tokens += 1 / perToken
      else if (code > 0xffff) tokens += emoji
      else tokens += isIdeograph(code) ? ideograph : 0.5
    }
    return Math.ceil(tokens)
  }

/** Nearly every symbol and every pair of digits is a token: dear for code. */
const dearForCode: Tokenizer = (text) => {
  let tokens = 0
  for (const [piece] of text.matchAll(/[A-Za-z]{1,5}|\d{1,2}|[^\sA-Za-z0-9]|\s{2,}|\n/gu)) {
    tokens += piece.codePointAt(0)! > 0xffff ? 2 : 1
  }
  return tokens
}

export const TOKENIZERS: Readonly<Record<string, Tokenizer>> = {
  'whole words': byPieces({ letters: 7, ideograph: 0.85, emoji: 2, symbols: 1 }),
  'shorter words': byPieces({ letters: 5, ideograph: 1.1, emoji: 3, symbols: 1.2 }),
  'a small vocabulary': byPieces({ letters: 6, ideograph: 1.3, emoji: 3, symbols: 1 }),
  '3.6 characters': byCharacters(3.6, 0.8, 2),
  'a token an ideograph': byCharacters(4.2, 1, 3),
  'dear for code': dearForCode,
}

export function countRequest(
  { system, messages, tools }: ModelRequest,
  count: Tokenizer,
  wrapping: Wrapping,
): number {
  const told = count(system) + (tools.length === 0 ? 0 : count(JSON.stringify(tools)))
  const said = messages.map((message) => wrapping.message + countMessage(message, count))
  return said.reduce((sum, tokens) => sum + tokens, wrapping.request + told)
}

function countMessage(message: ModelMessage, count: Tokenizer): number {
  switch (message.role) {
    case 'user':
      return count(message.text)
    case 'tool':
      return message.results.reduce((sum, { text }) => sum + count(text) + 4, 0)
    case 'assistant':
      return message.parts.reduce(
        (sum, part) => sum + count(part.type === 'tool_call' ? part.arguments : part.text),
        0,
      )
  }
}

const PROSE =
  'The harbour was quiet when she arrived, although nobody had expected the fog to lift so early in the ' +
  'morning. There were three ships at anchor; a small one, painted green, had lost its mast in the storm ' +
  'of last Tuesday. "Extraordinary," said the captain, and wrote it down carefully in his notebook. '
const CODE = `export function estimateRequest({ system, messages, tools }: ModelRequest): number {
  let tokens = estimateText(system) + (tools.length === 0 ? 0 : 17)
  for (const message of messages) {
    tokens += estimateMessage(message) // counted once
    if (tokens > LIMIT_0x7F) throw new RangeError(\`too many: \${tokens}\`)
  }
  return Math.ceil(tokens)
}

`
const JSON_TEXT =
  '{"id":48213,"name":"Harbour light","tags":["sea","night"],"position":{"lat":53.5461,"lon":9.9665},' +
  '"visible":true,"updatedAt":"2026-11-18T07:42:13Z","owner":null},'
const CHINESE =
  '港口在清晨显得格外安静,没有人料到雾会这么早散去。三艘船停泊在岸边,其中一艘漆成绿色的小船在上周二的暴风雨中失去了桅杆。' +
  '船长说这真是不可思议,然后仔细地把它写进了笔记本里。'
const EMOJI = 'Great 🎉🎉 see you there 🚢⚓️ 👍🏽 thanks 😀😂 — ok? 🙏 '

/** What conversations are made of. */
export const KINDS: Readonly<Record<string, string>> = {
  prose: PROSE,
  code: CODE,
  json: JSON_TEXT,
  chinese: CHINESE,
  emoji: EMOJI,
}

/** About `tokens` of a kind, never cut inside an emoji. */
export function textOf(kind: string, tokens: number, count: Tokenizer): string {
  const sample = KINDS[kind]!
  const chars = Math.max(20, Math.floor((tokens * sample.length) / count(sample)))
  return sample
    .repeat(Math.ceil(chars / sample.length))
    .slice(0, chars)
    .toWellFormed()
}

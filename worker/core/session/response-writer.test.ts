import { describe, expect, test } from 'vitest'
import type { EventBody, EventOf, EventType } from '#protocol/events'
import type { Fragment } from '#protocol/frames'
import {
  DELTA_FLUSH_CHARS,
  DELTA_FLUSH_MS,
  EVENT_BYTES,
  FRAGMENT_TICK_MS,
  TEXT_PART_BYTES,
} from '#protocol/limits'
import { utf8Bytes } from '#protocol/text'
import { VirtualTimers } from '../../testing/node/virtual-timers.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { ResponseWriter } from './response-writer.ts'

const RESPONSE = 'session-0123456789.3.1'

type Sent =
  | { at: number; kind: 'rows'; rows: EventBody[] }
  | { at: number; kind: 'fragments'; fragments: Fragment[] }

/** A writer whose sink keeps everything, with the time at which it came. */
class Desk {
  readonly timers = new VirtualTimers()
  readonly sent: Sent[] = []
  readonly writer: ResponseWriter
  /** What a person could have seen of the text by now, rows and fragments alike. */
  shown = ''
  isOver = false
  private readonly start = this.timers.now
  private parts = 0

  constructor() {
    this.writer = new ResponseWriter(
      {
        rows: (rows) => {
          if (this.isOver) return false
          this.sent.push({ at: this.now, kind: 'rows', rows })
          for (const row of rows) this.showRow(row)
          return true
        },
        fragments: (fragments) => {
          this.sent.push({ at: this.now, kind: 'fragments', fragments })
          for (const { kind, offset, text } of fragments)
            if (kind === 'text') this.show(offset, text)
        },
      },
      this.timers,
      () => `p${++this.parts}`,
    )
    this.writer.beginStep(RESPONSE)
  }

  get now(): number {
    return this.timers.now - this.start
  }
  get rows(): EventBody[] {
    return this.sent.flatMap((one) => (one.kind === 'rows' ? one.rows : []))
  }
  get fragments(): Fragment[] {
    return this.sent.flatMap((one) => (one.kind === 'fragments' ? one.fragments : []))
  }
  of<T extends EventType>(type: T): EventOf<T>[] {
    return this.rows.filter((row) => row.type === type) as unknown as EventOf<T>[]
  }
  /** A part's end says all of it; anything else goes on from where it says it does. */
  private show(offset: number, text: string): void {
    expect(offset, 'a hole in what is shown').toBeLessThanOrEqual(this.shown.length)
    this.shown = this.shown.slice(0, offset) + text
  }

  private showRow(row: EventBody): void {
    if (row.type === 'text_delta') this.show(row.offset, row.delta)
    if (row.type === 'text_done') this.show(0, row.text)
  }
}

const EMPTY_ROW: EventBody = { type: 'session_cleared', by: '' }

const endOf = (row: EventBody): number =>
  row.type === 'text_delta' ? row.offset + row.delta.length : 0

describe('the first-chunk gate', () => {
  test('[RUN6] nothing is shown, as a row or live, before eight word characters', () => {
    const desk = new Desk()
    desk.writer.text('text', '**Hello')
    desk.writer.text('text', '__: 12')
    desk.timers.advance(5000)
    expect(desk.sent).toEqual([])
    expect(desk.timers.size).toBe(0)
    desk.writer.text('text', '3')
    expect(desk.shown).toBe('**Hello__: 123')
  })

  test.each([
    ['Latin', 'abcdefg', 'h'],
    ['digits', '1234567', '8'],
    ['Cyrillic', 'Привет,а', 'й'],
    ['Greek', 'αβγδεζη', 'θ'],
    ['Chinese', '你好世界你好世', '界'],
    ['Japanese', 'こんにちはカタ', 'カ'],
    ['Arabic', 'مرحباال', 'ع'],
    ['Hebrew', 'שלוםשלו', 'ם'],
    ['Devanagari digits', '१२३४५६७', '८'],
    ['letters outside the basic plane', '𝒜𝒷𝒸𝒹𝑒𝒻𝑔', '𝒽'],
  ])('[RUN6] counts letters and digits of any script: %s', (_script, seven, eighth) => {
    const desk = new Desk()
    desk.writer.text('text', seven)
    expect(desk.sent).toEqual([])
    desk.writer.text('text', eighth)
    expect(desk.shown).toBe(seven + eighth)
  })

  test('[RUN6] marks, emoji and spaces are no word characters', () => {
    const desk = new Desk()
    desk.writer.text('text', '# 😀😀😀😀😀😀😀😀😀 *** ``` --- |||\n\n')
    desk.timers.advance(5000)
    expect(desk.sent).toEqual([])
  })

  test('[RUN6] what was held back comes out whole when the part ends', () => {
    const desk = new Desk()
    desk.writer.text('text', '**Hi**')
    desk.writer.endPart()
    expect(desk.rows).toEqual([
      { type: 'text_done', responseId: RESPONSE, partId: 'p1', text: '**Hi**' },
    ])
    expect(desk.fragments).toEqual([])
  })

  test('[RUN6] behind the gate, text without a word character waits for the next text', () => {
    const desk = new Desk()
    desk.writer.text('text', 'A good beginning')
    desk.timers.advance(1000)
    const before = desk.sent.length
    desk.writer.text('text', ' **')
    desk.timers.advance(1000)
    expect(desk.sent).toHaveLength(before)
    expect(desk.timers.size).toBe(0)
    desk.writer.text('text', 'bold')
    expect(desk.shown).toBe('A good beginning **bold')
    desk.writer.text('text', '**')
    desk.writer.endPart()
    expect(desk.of('text_done')).toMatchObject([{ text: 'A good beginning **bold**' }])
  })

  test('[RUN6] each part has its own gate', () => {
    const desk = new Desk()
    desk.writer.text('text', 'A good beginning')
    desk.writer.endPart()
    const before = desk.sent.length
    desk.writer.text('text', '*short')
    desk.timers.advance(1000)
    expect(desk.sent).toHaveLength(before)
  })

  test('[RUN6] thinking is never gated', () => {
    const desk = new Desk()
    desk.writer.text('thinking', '*')
    expect(desk.rows).toMatchObject([{ type: 'thinking_start', partId: 'p1' }])
    expect(desk.fragments).toMatchObject([{ kind: 'thinking', partId: 'p1', offset: 0, text: '*' }])
  })

  test('[RUN6] what a tool puts out is never gated', () => {
    const desk = new Desk()
    desk.writer.toolOutput('c1', '.')
    expect(desk.fragments).toMatchObject([{ kind: 'tool_output', callId: 'c1', text: '.' }])
  })
})

describe('rows', () => {
  test('[RUN2] one per 400 ms of text, from the first text that waits', () => {
    const desk = new Desk()
    for (let i = 0; i < 100; i++) {
      desk.writer.text('text', `word${i} `)
      desk.timers.advance(10)
    }
    const at = desk.sent.filter(({ kind }) => kind === 'rows').map((one) => one.at)
    // The gate opens with the second word, at 10 ms.
    expect(at).toEqual([10 + DELTA_FLUSH_MS, 10 + 2 * DELTA_FLUSH_MS])
  })

  test('[RUN2] a row carries all that is visible, at the offset where the last one ended', () => {
    const desk = new Desk()
    desk.writer.text('text', 'The first half ')
    desk.timers.advance(DELTA_FLUSH_MS)
    desk.writer.text('text', 'and the second half')
    desk.timers.advance(DELTA_FLUSH_MS)
    expect(desk.rows).toMatchObject([
      { type: 'text_delta', offset: 0, delta: 'The first half ' },
      { type: 'text_delta', offset: 15, delta: 'and the second half' },
    ])
  })

  test('[RUN2] or per 4 KiB, whichever comes first: a fast model loses no more in a crash', () => {
    const desk = new Desk()
    const chunk = 'abcd '.repeat(20)
    for (let i = 0; i < 200; i++) desk.writer.text('text', chunk)
    const deltas = desk.of('text_delta')
    expect(deltas).toHaveLength(Math.floor((200 * chunk.length) / DELTA_FLUSH_CHARS))
    for (const { delta } of deltas) {
      expect(delta.length).toBeGreaterThanOrEqual(DELTA_FLUSH_CHARS)
      expect(delta.length).toBeLessThan(DELTA_FLUSH_CHARS + chunk.length)
    }
  })

  test('[LOG4] never holds back more than one flush interval of visible text', () => {
    const random = new RandomSource(4)
    const desk = new Desk()
    let shownAt: { at: number; length: number }[] = []
    for (let i = 0; i < 2000; i++) {
      desk.writer.text('text', random.pick(['word ', 'a ', '** ', 'long words of text ']))
      shownAt.push({ at: desk.now, length: desk.shown.length })
      desk.timers.advance(random.below(60))
      const durable = endOf(desk.of('text_delta').at(-1) ?? EMPTY_ROW)
      const due = shownAt.filter(({ at }) => at <= desk.now - DELTA_FLUSH_MS)
      for (const { length } of due) expect(durable).toBeGreaterThanOrEqual(length)
      shownAt = shownAt.filter(({ at }) => at > desk.now - DELTA_FLUSH_MS)
    }
  })

  test('[RUN2] the end of a part carries all of it, also what no row held', () => {
    const desk = new Desk()
    desk.writer.text('text', 'Only a moment ago')
    desk.writer.endPart()
    expect(desk.rows).toEqual([
      { type: 'text_done', responseId: RESPONSE, partId: 'p1', text: 'Only a moment ago' },
    ])
  })

  test('[RUN2] an empty delta opens no part', () => {
    const desk = new Desk()
    desk.writer.text('text', '')
    desk.writer.text('thinking', '')
    desk.writer.toolOutput('c1', '')
    desk.writer.endPart()
    expect(desk.sent).toEqual([])
  })

  test('[TOOL1] a row of output has one stream: the other goes out first', () => {
    const desk = new Desk()
    desk.writer.toolOutput('c1', 'out', 'stdout')
    desk.writer.toolOutput('c1', 'err', 'stderr')
    desk.writer.toolOutput('c1', 'plain')
    desk.timers.advance(DELTA_FLUSH_MS)
    expect(desk.rows).toEqual([
      { type: 'tool_output_delta', callId: 'c1', offset: 0, delta: 'out', stream: 'stdout' },
      { type: 'tool_output_delta', callId: 'c1', offset: 3, delta: 'err', stream: 'stderr' },
      { type: 'tool_output_delta', callId: 'c1', offset: 6, delta: 'plain' },
    ])
  })

  test('[TOOL4] output of parallel tools is flushed together, a row for each', () => {
    const desk = new Desk()
    desk.writer.toolOutput('c1', 'one')
    desk.writer.toolOutput('c2', 'two')
    desk.timers.advance(DELTA_FLUSH_MS)
    const rows = desk.sent.filter(({ kind }) => kind === 'rows')
    expect(rows).toHaveLength(1)
    expect(desk.rows).toMatchObject([{ callId: 'c1' }, { callId: 'c2' }])
  })
})

describe('fragments', () => {
  test('[RUN2] at most thirty frames a second, however fast the model', () => {
    const desk = new Desk()
    for (let i = 0; i < 3000; i++) {
      desk.writer.text('text', `w${i} `)
      desk.timers.advance(1)
    }
    const frames = desk.sent.filter(({ kind }) => kind === 'fragments')
    for (let second = 0; second < 3; second++) {
      const inIt = frames.filter(({ at }) => at >= second * 1000 && at < (second + 1) * 1000)
      expect(inIt.length).toBeLessThanOrEqual(30)
      expect(inIt.length).toBeGreaterThan(20)
    }
    for (const [index, { at }] of frames.entries()) {
      if (index > 0) expect(at - frames[index - 1]!.at).toBeGreaterThanOrEqual(FRAGMENT_TICK_MS)
    }
  })

  test('[RUN2] the first text goes out at once, what follows within a tick', () => {
    const desk = new Desk()
    desk.writer.text('text', 'Immediately')
    expect(desk.fragments).toEqual([
      { responseId: RESPONSE, partId: 'p1', kind: 'text', offset: 0, text: 'Immediately' },
    ])
    desk.writer.text('text', ' and more')
    expect(desk.fragments).toHaveLength(1)
    desk.timers.advance(FRAGMENT_TICK_MS)
    expect(desk.fragments[1]).toMatchObject({ offset: 11, text: ' and more' })
  })

  test('[RUN2] at a flush the row goes out instead of that tick’s fragment', () => {
    const desk = new Desk()
    for (let i = 0; i < 120; i++) {
      desk.writer.text('text', `some words ${i} `)
      desk.timers.advance(10)
    }
    const rows = desk.sent.filter(({ kind }) => kind === 'rows')
    expect(rows.length).toBeGreaterThan(1)
    let end = 0
    for (const one of desk.sent) {
      if (one.kind === 'rows') for (const row of one.rows) end = endOf(row)
      else for (const fragment of one.fragments) expect(fragment.offset).toBeGreaterThanOrEqual(end)
    }
    const times = desk.sent.map(({ at }) => at)
    expect(new Set(times).size).toBe(times.length)
  })

  test('[RUN2] fragments and rows, read in order, show the text without a hole', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const random = new RandomSource(seed)
      const desk = new Desk()
      let text = ''
      for (let i = 0; i < 500; i++) {
        const delta = random.pick(['word ', '😀', '** ', 'é', '漢字 ', 'x'.repeat(700)])
        text += delta
        desk.writer.text('text', delta)
        if (random.chance(0.5)) desk.timers.advance(random.below(80))
        expect(text.startsWith(desk.shown)).toBe(true)
      }
      desk.writer.endPart()
      expect(desk.of('text_done').map((row) => row.text)).toEqual([text])
    }
  })

  test('[TOOL2] the name of a call is shown before its first argument', () => {
    const desk = new Desk()
    desk.writer.toolInput('c1', 'search', '')
    expect(desk.fragments).toEqual([
      {
        responseId: RESPONSE,
        callId: 'c1',
        kind: 'tool_input',
        toolName: 'search',
        offset: 0,
        text: '',
      },
    ])
    expect(desk.rows).toEqual([])
  })

  test('[TOOL2] arguments are live only: no row until the call is complete', () => {
    const desk = new Desk()
    desk.writer.toolInput('c1', 'search', '{"q":"')
    for (let i = 0; i < 50; i++) {
      desk.writer.toolInput('c1', 'search', 'word')
      desk.timers.advance(100)
    }
    expect(desk.rows).toEqual([])
    desk.writer.startTool('c1', 'search', '{"q":"x"}')
    expect(desk.rows).toEqual([
      {
        type: 'tool_call_start',
        responseId: RESPONSE,
        callId: 'c1',
        toolName: 'search',
        arguments: '{"q":"x"}',
      },
    ])
    expect(desk.timers.size).toBe(0)
  })
})

describe('characters', () => {
  test('[RUN2] a pair that the provider cut in two is put together', () => {
    const desk = new Desk()
    desk.writer.text('text', 'A good emoji \ud83d')
    expect(desk.shown).toBe('A good emoji ')
    desk.timers.advance(DELTA_FLUSH_MS)
    desk.writer.text('text', '\ude00 it is')
    desk.timers.advance(FRAGMENT_TICK_MS)
    expect(desk.shown).toBe('A good emoji 😀 it is')
    desk.writer.endPart()
    expect(desk.of('text_done')).toMatchObject([{ text: 'A good emoji 😀 it is' }])
  })

  test('[RUN2] no row and no fragment ever ends or begins inside a pair', () => {
    const desk = new Desk()
    const text = 'Numbers and 😀😀😀😀 emoji 👩‍👩‍👧‍👦 '.repeat(200)
    for (let i = 0; i < text.length; i += 3) {
      desk.writer.text('text', text.slice(i, i + 3))
      desk.timers.advance(7)
    }
    desk.writer.endPart()
    for (const { delta } of desk.of('text_delta')) expect(delta.isWellFormed()).toBe(true)
    for (const fragment of desk.fragments) expect(fragment.text.isWellFormed()).toBe(true)
    expect(desk.of('text_done')).toMatchObject([{ text }])
  })

  test('[LOG1] half a pair that never gets its other half becomes one replacement character', () => {
    const desk = new Desk()
    desk.writer.text('text', 'A lone \ud83d')
    desk.writer.text('text', 'half, and \ude00 another')
    desk.writer.text('text', ', and a last \ud83d')
    desk.writer.endPart()
    const [done] = desk.of('text_done')
    expect(done?.text).toBe('A lone \ufffdhalf, and \ufffd another, and a last \ufffd')
    // One unit for one unit: every offset after it stays right.
    expect(desk.shown).toBe(done?.text)
  })
})

describe('large parts', () => {
  test('[SAF2] a part closes at 256 KiB and the next opens; nothing is lost', () => {
    const desk = new Desk()
    const chunk = 'a few words of text '.repeat(200)
    const chunks = 200
    for (let i = 0; i < chunks; i++) desk.writer.text('text', chunk)
    desk.writer.endPart()
    const done = desk.of('text_done')
    expect(done).toHaveLength(Math.ceil((chunks * chunk.length) / TEXT_PART_BYTES))
    expect(done.map(({ text }) => text).join('')).toBe(chunk.repeat(chunks))
    expect(new Set(done.map(({ partId }) => partId)).size).toBe(done.length)
    for (const row of desk.rows) {
      expect(utf8Bytes(JSON.stringify(row))).toBeLessThan(EVENT_BYTES)
    }
  })

  test('[SAF2] what JSON has to escape counts as what it becomes', () => {
    const desk = new Desk()
    const chunk = 'word "\\\u0001\n'.repeat(400)
    for (let i = 0; i < 60; i++) desk.writer.text('thinking', chunk)
    desk.writer.endPart()
    const done = desk.of('thinking_done')
    expect(done.map(({ text }) => text).join('')).toBe(chunk.repeat(60))
    for (const row of done) expect(utf8Bytes(JSON.stringify(row))).toBeLessThan(EVENT_BYTES)
  })
})

describe('the end', () => {
  test('[LOG1] nothing pending leaves no timer, or the object never hibernates', () => {
    const desk = new Desk()
    desk.writer.text('text', 'Some text to begin with')
    expect(desk.timers.size).toBeGreaterThan(0)
    desk.writer.endPart()
    expect(desk.timers.size).toBe(0)
    desk.writer.toolOutput('c1', 'output')
    expect(desk.timers.size).toBeGreaterThan(0)
    desk.writer.endTool('c1')
    expect(desk.timers.size).toBe(0)
  })

  test('[LOG1] silence in an open part leaves no timer either', () => {
    const desk = new Desk()
    desk.writer.text('text', 'Some text and then a long wait')
    desk.timers.advance(10 * DELTA_FLUSH_MS)
    expect(desk.timers.size).toBe(0)
  })

  test('[CAN2] after close there is no row, no frame and no timer, whatever still comes', () => {
    const desk = new Desk()
    desk.writer.text('text', 'Some text to begin with')
    desk.writer.close()
    const before = desk.sent.length
    desk.writer.text('text', ' and more')
    desk.writer.startThought('c0')
    desk.writer.toolInput('c1', 'search', '{')
    desk.writer.startTool('c1', 'search', '{}')
    desk.writer.toolOutput('c1', 'output')
    desk.writer.endTool('c1')
    desk.writer.endPart()
    desk.timers.advance(10_000)
    expect(desk.sent).toHaveLength(before)
    expect(desk.timers.size).toBe(0)
  })

  test('[CAN2] a sink that says the run is over is not taken to have stored anything', () => {
    const desk = new Desk()
    desk.writer.text('text', 'Some text to begin with')
    desk.isOver = true
    desk.timers.advance(DELTA_FLUSH_MS)
    expect(desk.writer.tail()).toMatchObject([{ offset: 0, text: 'Some text to begin with' }])
  })

  test('[CAN3] openTexts is everything, gated or not, with half a pair settled', () => {
    const desk = new Desk()
    desk.writer.toolInput('c1', 'search', '{"q')
    desk.writer.text('text', '**Hi \ud83d')
    expect(desk.writer.openTexts()).toEqual([
      { kind: 'tool_input', id: 'c1', responseId: RESPONSE, text: '{"q' },
      { kind: 'text', id: 'p1', responseId: RESPONSE, text: '**Hi \ufffd' },
    ])
  })
})

describe('a socket that joins in mid-stream', () => {
  test('[LOG3] is given what no row holds, from where the rows end', () => {
    const desk = new Desk()
    desk.writer.text('text', 'In the log already. ')
    desk.timers.advance(DELTA_FLUSH_MS)
    desk.writer.text('text', 'Only live so far')
    expect(desk.writer.tail()).toEqual([
      { responseId: RESPONSE, partId: 'p1', kind: 'text', offset: 20, text: 'Only live so far' },
    ])
    desk.timers.advance(DELTA_FLUSH_MS)
    expect(desk.writer.tail()).toEqual([])
  })

  test('[RUN6] is not given what the gate holds back', () => {
    const desk = new Desk()
    desk.writer.text('text', '**Hi')
    expect(desk.writer.tail()).toEqual([])
  })

  test('[LOG3] is given calls in preparation, also before their first argument', () => {
    const desk = new Desk()
    desk.writer.toolInput('c1', 'search', '')
    desk.writer.toolInput('c2', 'search', '{"q"')
    desk.timers.advance(60_000)
    expect(desk.writer.tail()).toMatchObject([
      { kind: 'tool_input', callId: 'c1', toolName: 'search', offset: 0, text: '' },
      { kind: 'tool_input', callId: 'c2', toolName: 'search', offset: 0, text: '{"q"' },
    ])
    desk.writer.startTool('c1', 'search', '{}')
    expect(desk.writer.tail()).toMatchObject([{ callId: 'c2' }])
  })

  test('[LOG3] is given nothing of parts and tools that are over', () => {
    const desk = new Desk()
    desk.writer.text('text', 'Some text to begin with')
    desk.writer.endPart()
    desk.writer.toolOutput('c1', 'output')
    desk.writer.endTool('c1')
    expect(desk.writer.tail()).toEqual([])
  })
})

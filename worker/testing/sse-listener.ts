// Server-sent events as a client reads them, one by one.

import { expect } from 'vitest'

export type SseMessage = { id?: string; event?: string; data: Record<string, unknown> }

/** Reads SSE messages one by one; comments are skipped. */
export class SseListener {
  private readonly reader: ReadableStreamDefaultReader<string>
  private buffer = ''

  constructor(response: Response) {
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = response.body?.pipeThrough(new TextDecoderStream())
    this.reader = text!.getReader()
  }

  /** null: the stream ended. */
  async next(): Promise<SseMessage | null> {
    for (;;) {
      const end = this.buffer.indexOf('\n\n')
      if (end < 0) {
        const { done, value } = await this.reader.read()
        if (done) return null
        this.buffer += value
        continue
      }
      const block = this.buffer.slice(0, end)
      this.buffer = this.buffer.slice(end + 2)
      if (!block.startsWith(':')) return toMessage(block)
    }
  }

  async take(count: number): Promise<(SseMessage | null)[]> {
    const messages = []
    for (let i = 0; i < count; i++) messages.push(await this.next())
    return messages
  }

  close(): Promise<void> {
    return this.reader.cancel()
  }
}

function toMessage(block: string): SseMessage {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)))
  return {
    ...fields,
    data: JSON.parse(fields['data'] as string) as SseMessage['data'],
  } as SseMessage
}

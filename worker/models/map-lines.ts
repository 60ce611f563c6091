// A body of lines, each replaced by what `map` makes of it, however the network cut the bytes. A
// last line without its end is mapped as well: servers that stop short leave it so.

import { LineLength } from './line-length.ts'

export function mapLines(
  body: ReadableStream<Uint8Array>,
  map: (line: string) => string,
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const line = new LineLength()
  let held = ''
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        line.add(bytes)
        held += decoder.decode(bytes, { stream: true })
        const end = held.lastIndexOf('\n') + 1
        if (end === 0) return
        const lines = held.slice(0, end - 1).split('\n')
        held = held.slice(end)
        controller.enqueue(encoder.encode(`${lines.map(mapLine).join('\n')}\n`))
      },
      flush(controller) {
        held += decoder.decode()
        if (held !== '') controller.enqueue(encoder.encode(mapLine(held)))
      },
    }),
  )

  function mapLine(line: string): string {
    return line.endsWith('\r') ? `${map(line.slice(0, -1))}\r` : map(line)
  }
}

// The same model without the server between: what the loopback itself costs, in the same run.

import { withDeadline } from './deadline.ts'
import { MODEL_ID, type LoopbackModel } from './loopback-model.ts'

const READ_MS = 60_000

/** Reads a planned reply to its end. `onBytes` is told what has arrived so far. */
export async function readDirectly(
  model: LoopbackModel,
  message: string,
  onBytes: (chunk: Uint8Array, at: number) => void = () => {},
): Promise<void> {
  const response = await fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL_ID,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: message }],
    }),
  })
  if (!response.ok) throw new Error(`the model answered ${response.status}`)
  const read = async (): Promise<void> => {
    for await (const chunk of response.body!) onBytes(chunk, performance.now())
  }
  await withDeadline(read(), READ_MS, 'reading the model')
}

const DELTA_MARK = Buffer.from('"content":"')

/** Counts text deltas in raw chunks, so that a reader of bytes knows how far it has got. */
export class DeltaCounter {
  private kept = Buffer.alloc(0)
  private seen = 0

  /** Deltas so far, without the empty one that opens every reply. */
  add(chunk: Uint8Array): number {
    const bytes = Buffer.concat([this.kept, chunk])
    let from = 0
    for (;;) {
      const at = bytes.indexOf(DELTA_MARK, from)
      if (at === -1) break
      from = at + DELTA_MARK.length
      this.seen += 1
    }
    // A mark may be cut by the chunk's end.
    this.kept = bytes.subarray(Math.max(from, bytes.length - DELTA_MARK.length + 1))
    return Math.max(0, this.seen - 1)
  }
}

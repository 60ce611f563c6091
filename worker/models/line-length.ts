// Everything that reads events waits for the end of a line. A server that never ends one would fill
// the memory of its isolate, and with it that of every other session there.

import { malformed } from './errors.ts'

/** A whole call in one event is a fraction of this. */
export const LINE_BYTES = 1024 * 1024
const NEWLINE = 0x0a

export class LineLength {
  private length = 0

  /** Throws what a stream fails with. */
  add(bytes: Uint8Array): void {
    const first = bytes.indexOf(NEWLINE)
    if (this.length + (first === -1 ? bytes.length : first) > LINE_BYTES) throw malformed()
    const last = bytes.lastIndexOf(NEWLINE)
    this.length = last === -1 ? this.length + bytes.length : bytes.length - last - 1
  }
}

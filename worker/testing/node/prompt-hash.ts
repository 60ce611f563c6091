// Hashes that are there at once. The platform makes them in threads, whose order differs from one
// run to the next: with those a seed would not be the same test twice.

import { createHash } from 'node:crypto'

const toBytes = (data: BufferSource): Uint8Array =>
  data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength)

/** For the rest of the test file. */
export function hashPromptly(): void {
  crypto.subtle.digest = async (algorithm, data) => {
    if (algorithm !== 'SHA-256') throw new Error('only SHA-256 is prompt')
    return new Uint8Array(createHash('sha256').update(toBytes(data)).digest()).buffer
  }
}

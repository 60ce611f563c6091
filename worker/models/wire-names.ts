// Names and ids as a provider takes them. What a model once called, and the id that another server
// gave to it, are in the history for ever: refused once, they would be refused with every request.

import { hash } from '../core/session/digest.ts'

const NOT_PLAIN = /[^a-zA-Z0-9_-]/g

/** Of tools that do not exist: those that are offered have proper names. */
export function toToolName(name: string, longest: number): string {
  const plain = name.replaceAll(NOT_PLAIN, '_').slice(0, longest)
  if (plain === '') return 'unnamed'
  // The packages look names up in plain objects, and would find what every object has.
  return plain in {} ? `x${plain}` : plain
}

/** The same for the same, in every request: a call, its answer and a cached prefix depend on it. */
export function toCallId(id: string, accepted: RegExp, prefix = ''): string {
  return accepted.test(id) ? id : prefix + toDigest(id)
}

const DIGEST_CHARS = 9

/** Nine letters and digits, from 53 bits: no secret, only never twice in one conversation. */
function toDigest(text: string): string {
  const [high, low] = hash(text)
  const bits = 4_294_967_296 * (low & 0x1f_ffff) + (high >>> 0)
  return (bits % 36 ** DIGEST_CHARS).toString(36).padStart(DIGEST_CHARS, '0')
}

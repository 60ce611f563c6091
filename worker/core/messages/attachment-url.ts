// Both formats carry a file as an address. A text that was attached has none but itself.

import type { Attachment } from '#protocol/events'

export const TEXT_TYPE = 'text/plain'

/** Bytes made into characters at once: every one is an argument of a call. */
const CHUNK = 8192

/** Base64, because percent signs would triple what is not ASCII. */
export function toDataUrl({ content }: Attachment): string {
  const bytes = new TextEncoder().encode(content)
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  }
  return `data:${TEXT_TYPE};charset=utf-8;base64,${btoa(binary)}`
}

/** `notes.md`, or `main.ts (10-20)` where only some of it was attached. */
export const toFileName = ({ name, range }: Attachment): string =>
  range === undefined ? name : `${name} (${range})`

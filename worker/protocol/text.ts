// Sizes and cuts of text, counted the way they are stored and sent.

/** Bytes of well-formed `text` in UTF-8, without encoding it. */
export function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (unit >= 0xd800 && unit <= 0xdfff) bytes += 1 // half of a four-byte pair
    else bytes += 2
  }
  return bytes
}

/** Bytes of well-formed `text` inside a JSON string: escapes count, quotes around it do not. */
export function jsonBytes(text: string): number {
  let bytes = utf8Bytes(text)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22 || unit === 0x5c) bytes += 1
    else if (unit < 0x20) bytes += 5
  }
  return bytes
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** The largest length ≤ `end` at which `text` can be cut without splitting a surrogate pair. */
export function cutPoint(text: string, end: number): number {
  return end > 0 && end < text.length + 1 && isHighSurrogate(text.charCodeAt(end - 1))
    ? end - 1
    : end
}

/** At most `chars` units of `text`, without half a pair at the end. */
export const shorten = (text: string, chars: number): string =>
  text.length <= chars ? text : text.slice(0, cutPoint(text, chars))

/** `text` cut to at most `bytes` bytes of UTF-8. */
export function truncateUtf8(text: string, bytes: number): { text: string; truncated: boolean } {
  if (text.length * 3 <= bytes || utf8Bytes(text) <= bytes) return { text, truncated: false }
  let low = 0
  let high = Math.min(text.length, bytes)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (utf8Bytes(text.slice(0, middle)) <= bytes) low = middle
    else high = middle - 1
  }
  return { text: text.slice(0, cutPoint(text, low)), truncated: true }
}

/** Put `insert` at `offset`: what stood there and after it is replaced. */
export function spliceAt(text: string, offset: number, insert: string): string {
  return offset === text.length ? text + insert : text.slice(0, offset) + insert
}

// Contents as the shell hands them over: text, or text in which each character is a byte.

import type { BufferEncoding, FileContent } from 'just-bash'

export type Encoding = { encoding?: BufferEncoding | null } | BufferEncoding | undefined

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

const toName = (options: Encoding): BufferEncoding =>
  (typeof options === 'string' ? options : options?.encoding) ?? 'utf8'

/** Latin-1 here is what the shell calls bytes: each character is one. */
export function toContent(content: FileContent, options: Encoding): Uint8Array {
  if (typeof content !== 'string') return content.slice()
  switch (toName(options)) {
    case 'utf8':
    case 'utf-8':
      return encoder.encode(content)
    case 'ascii':
    case 'binary':
    case 'latin1':
      return Uint8Array.from(content, (character) => character.charCodeAt(0))
    case 'base64':
      return Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
    case 'hex':
      return Uint8Array.from(content.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  }
}

export function decode(bytes: Uint8Array, options: Encoding): string {
  switch (toName(options)) {
    case 'utf8':
    case 'utf-8':
      return utf8.decode(bytes)
    case 'ascii':
    case 'binary':
    case 'latin1':
      return toLatin1(bytes)
    case 'base64':
      return btoa(toLatin1(bytes))
    case 'hex':
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}

/** In parts: an argument list has a length that no file should meet. */
function toLatin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return text
}

export function joinChunks(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const NEWLINE = 10

export function toLongestLine(bytes: Uint8Array): number {
  let longest = 0
  let start = 0
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    longest = Math.max(longest, end - start)
    start = end + 1
  }
  return Math.max(longest, bytes.length - start)
}

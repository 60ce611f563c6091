// The body of a page: bounded bytes, then text in the charset that it says it has.

/** Read of a page: after decompression, so that a small bomb is bounded too. */
const BODY_BYTES = 1024 * 1024
const FIRST_BYTES = 16 * 1024
/** Where HTML has to declare its charset. */
const META_BYTES = 1024
/** As far as browsers look. */
const SNIFFED_CHARS = 1445

export async function readBody(
  response: Response,
  maxBytes = BODY_BYTES,
): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  if (response.body === null) return { bytes: new Uint8Array(), truncated: false }
  const reader = response.body.getReader()
  const body = new ByteWriter(maxBytes)
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const { value, done } = await reader.read()
    if (done) return { bytes: body.bytes(), truncated: false }
    if (!body.add(value)) break
  }
  // Not awaited: a server that does not care about the end must not hold the tool.
  void reader.cancel().catch(() => {})
  return { bytes: body.bytes(), truncated: true }
}

/** One buffer that grows. A list of chunks of one byte each would take a hundred times the bytes. */
class ByteWriter {
  private readonly maxBytes: number
  private buffer = new Uint8Array(FIRST_BYTES)
  private size = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Whether all of it was kept. */
  add(chunk: Uint8Array): boolean {
    const kept = chunk.subarray(0, this.maxBytes - this.size)
    const end = this.size + kept.length
    if (end > this.buffer.length) {
      const grown = new Uint8Array(Math.max(end, this.buffer.length * 2))
      grown.set(this.buffer.subarray(0, this.size))
      this.buffer = grown
    }
    this.buffer.set(kept, this.size)
    this.size = end
    return kept.length === chunk.length
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.size)
  }
}

/** A byte order mark wins, then the header, then the page's own word, as in browsers. */
export function decodeBody(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? charsetOf(contentType) ?? declaredIn(bytes, contentType) ?? 'utf-8'
  return toDecoder(label).decode(bytes)
}

/**
 * Bytes that no text has, near its start: the page is a picture or a program, whatever its type
 * says. These are the ones that browsers look for.
 */
export function isBinary(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(text.slice(0, SNIFFED_CHARS))
}

function markOf([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return null
}

/** What a page of HTML or XML says of itself. Other text has no place to say it. */
function declaredIn(bytes: Uint8Array, contentType: string): string | null {
  if (!/html|xml/i.test(contentType)) return null
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, META_BYTES))
  const label = charsetOf(/<(?:meta|\?xml)[^<>]*(?:charset|encoding)[^<>]*>/i.exec(head)?.[0] ?? '')
  // It could be read as single bytes, so it is no UTF-16.
  return label === null || /^utf-?16/i.test(label) ? null : label
}

const charsetOf = (text: string): string | null =>
  /(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)/i.exec(text)?.[1] ?? null

function toDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    // An unknown name says nothing about the bytes; UTF-8 is the best guess.
    return new TextDecoder('utf-8')
  }
}

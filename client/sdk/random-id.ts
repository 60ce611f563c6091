// crypto.randomUUID is missing on pages that came over plain HTTP, such as one on a local network.

/** 128 random bits as hexadecimal digits. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

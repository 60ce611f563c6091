// Tells one text from another. Not a defence: whoever forges a collision fools only themselves.

/** Two times 32 bits, signed. */
export function hash(text: string): [number, number] {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return [a, b]
}

/** Of a command's body, under the id of which another may have come. */
export function digest(text: string): string {
  const [a, b] = hash(text)
  return `${text.length.toString(36)}.${(b >>> 0).toString(36)}${(a >>> 0).toString(36)}`
}

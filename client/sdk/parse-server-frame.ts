/** null: not a frame, for example the answer to a ping. The server's own shapes are trusted. */
export function parseServerFrame(text: string): object | null {
  if (!text.startsWith('{')) return null
  try {
    return JSON.parse(text) as object
  } catch {
    return null
  }
}

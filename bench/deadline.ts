// A benchmark ends by itself: whatever is awaited gives up, with words, before a person does.

export async function withDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what}: nothing after ${ms} ms`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

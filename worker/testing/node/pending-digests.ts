// Hashing happens on threads of its own, and a busy machine finishes it in any order. A test that
// lets everything happen that is ready has to know what is still being hashed.

const pending = new Set<Promise<unknown>>()
const digest = crypto.subtle.digest.bind(crypto.subtle)

crypto.subtle.digest = (...about) => {
  const hash = digest(...about)
  const done: Promise<unknown> = hash.then(
    () => pending.delete(done),
    () => pending.delete(done),
  )
  pending.add(done)
  return hash
}

/** What was begun before this is hashed when this is over. */
export async function untilHashed(): Promise<void> {
  await Promise.all(pending)
}

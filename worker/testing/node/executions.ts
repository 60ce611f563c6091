// How often a tool of a test server was really run, by the words it was called with: what a log says of
// that is what is tested.

const counts = new Map<string, number>()

export function noteExecution(words: string): void {
  counts.set(words, (counts.get(words) ?? 0) + 1)
}

/** Of those whose words begin like this. */
export const executionsOf = (beginning: string): Record<string, number> =>
  Object.fromEntries([...counts].filter(([words]) => words.startsWith(beginning)))

// Functions that start themselves several times over, directly or by way of each other.

/** What a function calls, and which of it in a pipe or in the background. */
export type Calls = { all: Set<string>; multiplied: Set<string> }

/** Beyond this nobody wrote it by hand, and the search below is quadratic. */
export const FUNCTIONS = 100

export function isForkBomb(functions: ReadonlyMap<string, Calls>): boolean {
  for (const [name, { multiplied }] of functions) {
    for (const called of multiplied) {
      if (called === name || reaches(functions, called, name)) return true
    }
  }
  return false
}

function reaches(functions: ReadonlyMap<string, Calls>, from: string, to: string): boolean {
  const seen = new Set<string>()
  const waiting = [from]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    for (const called of functions.get(next)?.all ?? []) {
      if (called === to) return true
      waiting.push(called)
    }
  }
  return false
}

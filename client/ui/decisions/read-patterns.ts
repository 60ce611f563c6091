// One pattern in each line. The limits are those of the session.

const PATTERNS = 100
const PATTERN_CHARS = 500

export const readPatterns = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

export function findPatternProblem(patterns: readonly string[]): string | null {
  if (patterns.length > PATTERNS) return `These are more than ${PATTERNS} patterns.`
  const long = patterns.find((pattern) => pattern.length > PATTERN_CHARS)
  if (long === undefined) return null
  return `A pattern is longer than ${PATTERN_CHARS} characters: ${long.slice(0, 40)}…`
}

// A text field knows one end of a line. What is saved has the ends that the file had. Pure.

/** The edited text with the line ends that most lines of the original have. */
export function withEndingsOf(original: string, edited: string): string {
  const ending = commonEnding(original)
  return ending === '\n' ? edited : edited.replace(/\r\n|\n|\r/g, ending)
}

/** As a field shows it. */
export const toFieldText = (text: string): string => text.replace(/\r\n?/g, '\n')

function commonEnding(text: string): string {
  const counts = new Map<string, number>([['\n', 0]])
  for (const [ending] of text.matchAll(/\r\n|\n|\r/g)) {
    counts.set(ending, (counts.get(ending) ?? 0) + 1)
  }
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0]
}

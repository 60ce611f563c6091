// The arguments of `finalize_task`, as a log holds them: written by a model, read as data.

export type Final = {
  summary: string
  outcome: 'done' | 'partly' | 'failed'
  open: readonly string[]
}

export function readFinal(json: string): Final | null {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value !== 'object' || value === null) return null
    const { summary, outcome = 'done', open = [] } = value as Record<string, unknown>
    if (typeof summary !== 'string' || summary.trim() === '') return null
    return {
      summary,
      outcome: outcome === 'partly' || outcome === 'failed' ? outcome : 'done',
      open: Array.isArray(open) ? open.filter((text) => typeof text === 'string') : [],
    }
  } catch {
    return null
  }
}

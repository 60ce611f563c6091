// Why a run cannot go on that is neither a provider's doing nor a bug: with a code, and words that
// people are shown.

export class RunFailure extends Error {
  readonly code: 'agent_unavailable'
  constructor(code: RunFailure['code'], message: string) {
    super(message)
    this.name = 'RunFailure'
    this.code = code
  }
}

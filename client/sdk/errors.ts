// What this library throws, and nothing else: an expected failure with a code to act on.

/** A request that did not succeed. `network`: it did not arrive, or its answer did not. */
export class ApiError extends Error {
  readonly code: string
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  /** Seconds to wait before trying again, where the server said so. */
  readonly retryAfter: number | null

  constructor(code: string, message: string, status = 0, retryAfter: number | null = null) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** A command that the session refused. It had no effect. */
export class CommandError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'CommandError'
    this.code = code
  }
}

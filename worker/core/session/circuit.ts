// Remembers for a while which model failed for good, so that the next run does not have to find
// out again. Shared by the sessions of an isolate; forgetting it costs a few retries.

import { CIRCUIT_MS } from '#protocol/limits'

export class Circuit {
  private readonly until = new Map<string, number>()

  isOpen(modelId: string, now: number): boolean {
    const until = this.until.get(modelId)
    if (until === undefined) return false
    if (until > now) return true
    this.until.delete(modelId)
    return false
  }

  open(modelId: string, now: number, retryAfterMs: number | null): void {
    // A provider may name an hour; after a while it is worth asking whether it still means it.
    this.until.set(modelId, now + Math.min(Math.max(retryAfterMs ?? 0, CIRCUIT_MS), 5 * CIRCUIT_MS))
  }

  close(modelId: string): void {
    this.until.delete(modelId)
  }
}

// The one physical alarm of an object, over everything that wants to be woken. Setting and dropping
// it are billed, so it moves only when it must: it may fire early, never late.

export class Alarm {
  private readonly set: (at: number | null) => void
  private readonly wanted: () => number[]
  private at: number | null = null

  constructor(set: (at: number | null) => void, wanted: () => number[]) {
    this.set = set
    this.wanted = wanted
  }

  arm(): void {
    const wanted = this.wanted()
    const next = wanted.length === 0 ? null : Math.min(...wanted)
    const isSoonEnough = next !== null && this.at !== null && this.at <= next
    if (next === this.at || isSoonEnough) return
    this.at = next
    this.set(next)
  }

  /** It rang: nothing is set any more. */
  fired(): void {
    this.at = null
  }
}

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
    const { next } = this
    if (next !== null && this.at !== null && this.at <= next) return
    this.move(next)
  }

  /** What it was set for is done: an object that sleeps until later is not to be woken for it. */
  relax(): void {
    this.move(this.next)
  }

  private get next(): number | null {
    const wanted = this.wanted()
    return wanted.length === 0 ? null : Math.min(...wanted)
  }

  private move(next: number | null): void {
    if (next === this.at) return
    this.at = next
    this.set(next)
  }

  /** It rang: nothing is set any more. */
  fired(): void {
    this.at = null
  }
}

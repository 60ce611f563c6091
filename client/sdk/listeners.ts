export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>()

  add(listener: (value: T) => void): () => void {
    this.#all.add(listener)
    return () => this.#all.delete(listener)
  }

  /** One that throws must not keep the others, or the caller, from going on. */
  tell(value: T): void {
    for (const listener of this.#all) {
      try {
        listener(value)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

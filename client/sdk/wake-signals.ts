// What a browser says about the network and the page. Elsewhere nothing is said, and nothing bound.

export type WakeActions = {
  /** The page is seen again. */
  wake: () => void
  online: () => void
  offline: () => void
}

type Target = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>

const page = (): (Target & { visibilityState: string }) | undefined =>
  (globalThis as { document?: Target & { visibilityState: string } }).document

export const isVisible = (): boolean => page()?.visibilityState !== 'hidden'

/** Only where the browser says so: not knowing is not being offline. */
export const isOffline = (): boolean =>
  (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false

/** Returns what undoes it. */
export function bindWakeSignals({ wake, online, offline }: WakeActions): () => void {
  const bound: { target: Target; type: string; listener: () => void }[] = []
  const bind = (target: Target | undefined, type: string, listener: () => void): void => {
    if (typeof target?.addEventListener !== 'function') return
    target.addEventListener(type, listener)
    bound.push({ target, type, listener })
  }
  bind(globalThis, 'online', online)
  bind(globalThis, 'offline', offline)
  bind(globalThis, 'pageshow', wake)
  bind(page(), 'visibilitychange', () => {
    if (isVisible()) wake()
  })
  return () => {
    for (const { target, type, listener } of bound) target.removeEventListener(type, listener)
  }
}

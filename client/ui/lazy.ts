// Components that the first look at a chat does not need are loaded when they are first rendered.

import { signal } from '@preact/signals'
import { h, type FunctionComponent } from 'preact'

export function lazy<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
): FunctionComponent<P> {
  const loaded = signal<FunctionComponent<P> | null>(null)
  let isAsked = false
  const ask = (): void => {
    if (isAsked) return
    isAsked = true
    load()
      .then((component) => (loaded.value = component))
      // Offline, or deployed anew: nothing is shown, and the next render asks again.
      .catch(() => (isAsked = false))
  }
  return (props) => {
    if (loaded.value !== null) return h(loaded.value, props)
    ask()
    return null
  }
}

// Settled turns and finished parts keep their identity, so comparing props by identity is enough
// to keep a token from rendering anything but the part it belongs to.

import { Component, h } from 'preact'
import type { ComponentChild, FunctionComponent } from 'preact'

export function memo<P extends object>(render: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !hasSameProps(this.props, next)
    }
    override render(props: P): ComponentChild {
      return h(render, props)
    }
  }
  return Memo as unknown as FunctionComponent<P>
}

function hasSameProps(a: object, b: object): boolean {
  const entries = Object.entries(b)
  if (entries.length !== Object.keys(a).length) return false
  return entries.every(([name, value]) => (a as Record<string, unknown>)[name] === value)
}

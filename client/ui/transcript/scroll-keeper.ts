// Where the transcript stands: at its end while text arrives, wherever a person went otherwise, and
// in place when older turns appear above.

import { signal } from '@preact/signals'

/** Close enough to the end to mean the end. */
const NEAR_PX = 24

export class ScrollKeeper {
  readonly isAtEnd = signal(true)
  readonly #scroller: HTMLElement
  readonly #content: HTMLElement
  #lastTop = 0
  #anchor: { element: Element; top: number } | null = null

  constructor(scroller: HTMLElement, content: HTMLElement) {
    this.#scroller = scroller
    this.#content = content
  }

  /** Returns how to stop. */
  start(): () => void {
    const resizes = new ResizeObserver(() => this.#settle())
    resizes.observe(this.#content)
    resizes.observe(this.#scroller)
    const handleScroll = (): void => this.#noteScroll()
    this.#scroller.addEventListener('scroll', handleScroll, { passive: true })
    return () => {
      resizes.disconnect()
      this.#scroller.removeEventListener('scroll', handleScroll)
    }
  }

  jumpToEnd(): void {
    this.isAtEnd.value = true
    this.#follow()
  }

  release(): void {
    this.isAtEnd.value = false
  }

  /** Called when the turns have changed and the DOM has not yet. */
  noteTurns(): void {
    const element = this.#content.querySelector('[data-turn]')
    this.#anchor = element && { element, top: element.getBoundingClientRect().top }
  }

  #settle(): void {
    const anchor = this.#anchor
    this.#anchor = null
    if (this.isAtEnd.peek()) {
      this.#follow()
    } else if (anchor?.element.isConnected) {
      this.#scroller.scrollTop += anchor.element.getBoundingClientRect().top - anchor.top
      this.#lastTop = this.#scroller.scrollTop
    }
  }

  #follow(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight
    this.#lastTop = this.#scroller.scrollTop
  }

  #noteScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller
    const gap = scrollHeight - clientHeight - scrollTop
    // Upwards, the smallest move is meant: being pulled back while reading is the worst of it.
    if (scrollTop < this.#lastTop - 1) this.isAtEnd.value = gap < 2
    else if (gap <= NEAR_PX) this.isAtEnd.value = true
    this.#lastTop = scrollTop
  }
}

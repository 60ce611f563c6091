import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { handle, hasOlder, isLoaded } from '../state/session.ts'
import { showFailure } from '../state/toasts.ts'

/** Begin before the person gets there, so that scrolling back seldom meets an end. */
const AHEAD = '800px 0px 0px 0px'

type Props = { scroller: RefObject<HTMLElement | null> }

export function OlderSentinel({ scroller }: Props) {
  return isLoaded.value && hasOlder.value ? <Sentinel scroller={scroller} /> : null
}

function Sentinel({ scroller }: Props) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const target = element.current!
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.at(-1)?.isIntersecting) return
        observer.unobserve(target)
        handle
          .peek()
          ?.loadOlder()
          .then(() => observer.observe(target))
          .catch(showFailure('Could not load earlier messages'))
      },
      { root: scroller.current, rootMargin: AHEAD },
    )
    observer.observe(target)
    return () => observer.disconnect()
  }, [])
  return (
    <div class="older" ref={element}>
      Loading earlier messages…
    </div>
  )
}

import { signal } from '@preact/signals'

/** For ages in the session list; coarse, because nothing finer is shown. */
const TICK_MS = 30_000

export const now = signal(Date.now())

setInterval(() => (now.value = Date.now()), TICK_MS)

const SECOND_MS = 1000
let ticking: ReturnType<typeof setInterval> | undefined

/** For what runs right now; it ticks for as long as somebody looks. */
export const seconds = signal(Date.now(), {
  watched: () => {
    seconds.value = Date.now()
    ticking = setInterval(() => (seconds.value = Date.now()), SECOND_MS)
  },
  unwatched: () => clearInterval(ticking),
})

import { signal } from '@preact/signals'

/** For ages in the session list; coarse, because nothing finer is shown. */
const TICK_MS = 30_000

export const now = signal(Date.now())

setInterval(() => (now.value = Date.now()), TICK_MS)

import { lazy } from '../lazy.ts'
import { openSessionId } from '../state/route.ts'
import { context } from '../state/session.ts'

const ContextMeter = lazy(() => import('./context-meter.tsx').then((file) => file.ContextMeter))

/** Nothing before the first report: a meter of nothing says nothing. */
export function MeterSlot() {
  if (context.value === null || context.value.window <= 0) return null
  return <ContextMeter key={openSessionId.value} />
}

import { computed, signal } from '@preact/signals'
import type { Route } from './parse-route.ts'
import { parseRoute, toPath } from './parse-route.ts'

const readLocation = (): Route => parseRoute(location.pathname, location.hash)

export const route = signal<Route>(readLocation())

export const openSessionId = computed(() =>
  route.value.name === 'session' ? route.value.sessionId : null,
)

export function navigate(to: Route, how: 'push' | 'replace' = 'push'): void {
  const path = toPath(to)
  if (how === 'replace') history.replaceState(null, '', path)
  else if (path !== location.pathname + location.hash) history.pushState(null, '', path)
  route.value = to
}

export const openSession = (sessionId: string, how: 'push' | 'replace' = 'push'): void =>
  navigate({ name: 'session', sessionId, seq: null }, how)

export const openNewChat = (): void => navigate({ name: 'new' })

export const linkTo = (sessionId: string, seq: number): string =>
  location.origin + toPath({ name: 'session', sessionId, seq })

window.addEventListener('popstate', () => (route.value = readLocation()))
window.addEventListener('hashchange', () => (route.value = readLocation()))

// Styles of a part that is loaded later. Vite's own way is a loader of half a kilobyte in the first
// load; this one is in none but the parts that need it.

const RETRY_MS = 2_000
const RETRY_MAX_MS = 60_000

/**
 * Resolves when they are there; also when they are not: a plain part is better than none. It asks
 * again until it has them, since a server that restarts must not leave the page bare.
 */
export function loadStyles(href: string, retryMs = RETRY_MS): Promise<void> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = href
  const loaded = new Promise<void>((resolve) => {
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => {
      link.remove()
      setTimeout(() => void loadStyles(href, Math.min(2 * retryMs, RETRY_MAX_MS)), retryMs)
      resolve()
    })
  })
  document.head.append(link)
  return loaded
}

import { signal } from '@preact/signals'
import { readStored, writeStored } from './storage.ts'

const narrowQuery = matchMedia('(max-width: 760px)')

/** The sidebar is a drawer over the page. */
export const isNarrow = signal(narrowQuery.matches)
export const isDrawerOpen = signal(false)
export const isSidebarShown = signal(readStored('sidebar') !== 'hidden')

narrowQuery.addEventListener('change', (event) => {
  isNarrow.value = event.matches
  isDrawerOpen.value = false
})

export function toggleSidebar(): void {
  if (isNarrow.peek()) {
    isDrawerOpen.value = !isDrawerOpen.peek()
    return
  }
  isSidebarShown.value = !isSidebarShown.peek()
  writeStored('sidebar', isSidebarShown.peek() ? null : 'hidden')
}

export const closeDrawer = (): void => {
  isDrawerOpen.value = false
}

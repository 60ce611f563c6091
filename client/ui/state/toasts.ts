import { signal } from '@preact/signals'

export type Toast = {
  id: number
  text: string
  action?: { label: string; run: () => void }
}

export const toasts = signal<readonly Toast[]>([])

const TOAST_MS = 6_000
/** More would hide the page that they are about. */
const SHOWN = 3

let nextId = 1

export function showToast(
  text: string,
  options: { action?: Toast['action']; forMs?: number } = {},
): number {
  const id = nextId++
  const toast: Toast = { id, text, ...(options.action ? { action: options.action } : {}) }
  toasts.value = [...toasts.peek(), toast].slice(-SHOWN)
  setTimeout(() => dismissToast(id), options.forMs ?? TOAST_MS)
  return id
}

export function dismissToast(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id)
}

/** A command that failed: said once, in words. */
export const showFailure = (what: string) => (error: unknown) => {
  showToast(`${what}: ${error instanceof Error ? error.message : String(error)}`)
}

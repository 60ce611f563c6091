// What this browser remembers. Private windows and full disks throw: forgetting is fine then.

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(`parley:${key}`)
  } catch {
    return null
  }
}

export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`parley:${key}`)
    else localStorage.setItem(`parley:${key}`, value)
  } catch {
    // Nothing depends on it being kept.
  }
}

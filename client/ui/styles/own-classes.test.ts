import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// A sheet is loaded when it is first needed and then stays. What two of them say of the same class
// depends on which came last: a card about a file has torn the columns of every diff after it.

const folder = new URL('.', import.meta.url)

/** Classes that a sheet styles by themselves, without a place or another class. */
function ownClasses(css: string): string[] {
  const selectors = css.replace(/\/\*.*?\*\//gs, '').match(/[^{};]+(?=\{)/g) ?? []
  return selectors
    .flatMap((list) => list.split(','))
    .flatMap((selector) => /^\s*\.([\w-]+)\s*$/.exec(selector)?.[1] ?? [])
}

test('[UI3] no class is styled by two sheets: which of them is loaded changes nothing of the other', () => {
  const owners = new Map<string, Set<string>>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.css'))) {
    for (const name of ownClasses(readFileSync(new URL(file, folder), 'utf8'))) {
      owners.set(name, (owners.get(name) ?? new Set()).add(file))
    }
  }
  expect(owners.size).toBeGreaterThan(300)
  const shared = [...owners].filter(([, files]) => files.size > 1)
  expect(shared.map(([name, files]) => `${name}: ${[...files].join(', ')}`)).toEqual([])
})

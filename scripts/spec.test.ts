import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const TESTS = '{worker,client,scripts}/**/*.{test,e2e}.ts'

const spec = readFileSync(`${root}docs/spec.md`, 'utf8')
const [inForce = '', notYet = ''] = spec.split('\n## Not yet\n')
const rules = [...inForce.matchAll(/^- \*\*([A-Z]+\d+)\*\*/gm)].map((match) => match[1]!)
const later = notYet.match(/\b[A-Z]+\d+\b/g) ?? []

/** `[RUN2]`, also two in one title; comments are not titles. */
const MARK = /\[([A-Z]{2,4}\d+)\]/g

function marksOf(file: string): string[] {
  const lines = readFileSync(root + file, 'utf8').split('\n')
  const code = lines.filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
  return code.flatMap((line) => [...line.matchAll(MARK)].map((match) => match[1]!))
}

const marked = new Map<string, string[]>()
for (const file of globSync(TESTS, { cwd: root, exclude: ['**/node_modules/**'] })) {
  if (file.endsWith('spec.test.ts')) continue
  for (const id of marksOf(file)) marked.set(id, [...(marked.get(id) ?? []), file])
}

describe('docs/spec.md', () => {
  test('names each rule once, in force or not yet', () => {
    const all = [...rules, ...later]
    expect(all.filter((id, index) => all.indexOf(id) !== index)).toEqual([])
    expect(rules.length).toBeGreaterThan(30)
    expect(later.length).toBeGreaterThan(5)
  })

  test.each(rules)('%s is carried by a test', (id) => {
    expect(marked.get(id), `no test title has [${id}]`).toBeDefined()
  })

  test('every id in a test title is a rule', () => {
    const known = new Set([...rules, ...later])
    const unknown = [...marked].filter(([id]) => !known.has(id))
    expect(Object.fromEntries(unknown)).toEqual({})
  })
})

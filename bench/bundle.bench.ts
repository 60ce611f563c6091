// Bytes of code, compressed: what a page loads before it can show anything, and what is deployed.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Bench, Benchmark } from './benchmark.ts'

export const bundle: Benchmark = {
  name: 'bundle',
  bar: { firstLoad: '<= 61440 (AIChatAgent: 432 KB, main chunk alone)' },
  async measure({ root }: Bench) {
    const client = join(root, 'dist/client')
    const scripts = listFirstLoad(client)
    const lazy = globSync('**/*.{js,css}', { cwd: client }).filter((path) => !scripts.has(path))
    const worker = join(root, 'dist/parley')
    return {
      firstLoad: gzipOf(client, scripts),
      firstLoadFiles: scripts.size,
      lazy: gzipOf(client, lazy),
      worker: gzipOf(worker, globSync('**/*.js', { cwd: worker })),
    }
  },
}

/** What index.html names, and what that imports in turn; not what is imported when it is needed. */
function listFirstLoad(client: string): Set<string> {
  const html = readFileSync(join(client, 'index.html'), 'utf8')
  const found = new Set<string>()
  const add = (path: string): void => {
    if (found.has(path) || !/\.(js|css)$/.test(path) || !existsSync(join(client, path))) return
    found.add(path)
    if (path.endsWith('.css')) return
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    for (const name of staticImports(readFileSync(join(client, path), 'utf8'))) {
      add(join(folder, name))
    }
  }
  for (const [, path] of html.matchAll(/(?:src|href)="\/([^"]+)"/g)) add(path!)
  return found
}

/** Vite writes `import…from"./x.js"` or `import"./x.js"`; `import("./x.js")` is lazy. */
const staticImports = (code: string): string[] =>
  [...code.matchAll(/(?:\bfrom|\bimport)\s*["'](\.\/[^"']+\.js)["']/g)].map(([, name]) => name!)

const gzipOf = (folder: string, paths: Iterable<string>): number =>
  [...paths]
    .map((path) => gzipSync(readFileSync(join(folder, path))).length)
    .reduce((sum, bytes) => sum + bytes, 0)

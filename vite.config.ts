import { cloudflare } from '@cloudflare/vite-plugin'
import { preact } from '@preact/preset-vite'
import { defineConfig } from 'vite'
import { meterShell } from './scripts/meter-shell.ts'

type Graph = {
  getModuleInfo(id: string): { isEntry: boolean; importers: readonly string[] } | null
}

/** Reached from the page without an `import()`. */
function isFirstLoad(id: string, graph: Graph, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  const info = graph.getModuleInfo(id)
  if (info === null) return false
  return info.isEntry || info.importers.some((importer) => isFirstLoad(importer, graph, seen))
}

// The first load is one file: what parts share with it would else be split off into several, which
// compress worse by more than a kilobyte.
const codeSplitting = {
  includeDependenciesRecursively: false,
  groups: [
    {
      debugName: 'first load',
      name: (id: string, graph: Graph) => (isFirstLoad(id, graph) ? 'first' : null),
    },
  ],
}

export default defineConfig({
  publicDir: 'client/public',
  plugins: [preact({ devToolsEnabled: false }), cloudflare(), meterShell()],
  build: { target: 'es2023', reportCompressedSize: false },
  environments: {
    client: {
      build: {
        // Every browser of that target has it.
        modulePreload: { polyfill: false },
        rolldownOptions: { output: { codeSplitting } },
      },
    },
  },
  server: { host: '127.0.0.1', port: 8787 },
})

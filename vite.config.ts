import { cloudflare } from '@cloudflare/vite-plugin'
import { preact } from '@preact/preset-vite'
import { defineConfig } from 'vite'

export default defineConfig({
  publicDir: 'client/public',
  plugins: [preact({ devToolsEnabled: false }), cloudflare()],
  build: { target: 'es2023', reportCompressedSize: false },
  server: { host: '127.0.0.1', port: 8787 },
})

// Before the first test file: the browser, the build and the server's reading of its configuration are
// made once. Two files that made them at the same time would take each other's half for a whole.

import chromium from '@sparticuz/chromium'
import { TestServer } from './server.ts'

export default async function prepare(): Promise<void> {
  await chromium.executablePath()
  const server = await TestServer.start({ model: 'demo' })
  await server.stop()
}

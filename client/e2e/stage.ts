// One server and one browser per file, one device per visit; after every test nothing may have gone
// wrong anywhere: no error in a page, none in the Worker, no request that a provider would refuse.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { Api } from '../sdk/api.ts'
import type { ModelServer } from '../../worker/testing/node/model-server.ts'
import { launchBrowser, visit, type Visitor } from './browser.ts'
import { TestServer, type ServerOptions } from './server.ts'

export class Stage {
  #server: TestServer | null = null
  #browser: Browser | null = null
  #visitors: Visitor[] = []

  get server(): TestServer {
    return this.#server!
  }

  get browser(): Browser {
    return this.#browser!
  }

  get model(): ModelServer {
    return this.server.model
  }

  get api(): Api {
    return new Api({ origin: this.server.origin })
  }

  async start(options: ServerOptions): Promise<void> {
    const server = TestServer.start(options).then((started) => (this.#server = started))
    const browser = launchBrowser().then((launched) => (this.#browser = launched))
    await Promise.all([server, browser])
  }

  /** A person at a device of their own. `origin`: by another way than directly. */
  async open(
    path = '/',
    { origin = this.server.origin, ...options }: BrowserContextOptions & { origin?: string } = {},
  ): Promise<Page> {
    const visitor = await visit(this.browser, origin + path, options)
    this.#visitors.push(visitor)
    return visitor.page
  }

  async openSession(
    sessionId: string,
    options: BrowserContextOptions & { origin?: string } = {},
  ): Promise<Page> {
    return this.open(`/s/${sessionId}`, options)
  }

  async clear(): Promise<void> {
    const visitors = this.#visitors
    this.#visitors = []
    for (const { context } of visitors) await context.close()
    expect(visitors.flatMap(({ problems }) => problems)).toEqual([])
    expect(this.server.failures).toEqual([])
    expect(this.server.violations).toEqual([])
  }

  async end(): Promise<void> {
    await this.#browser?.close()
    await this.#server?.stop()
  }
}

export function setStage(options: ServerOptions = {}): Stage {
  const stage = new Stage()
  beforeAll(() => stage.start(options))
  afterEach(() => stage.clear())
  afterAll(() => stage.end())
  return stage
}

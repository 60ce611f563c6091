// The three scenarios of seed 001: what a person sees and what `format=vercel` says, before and
// after a reload. An MCP server stands in for the weather: the real one needs the internet.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startMcpServer, type McpKit } from '../../worker/testing/node/mcp-server.ts'
import { Stage } from './stage.ts'
import { answer, expectSameAfterReload, startChat, tool, untilEnded } from './browser.ts'
import { call, callTools, script, stop, text } from './script.ts'

const stage = new Stage()
let city: McpKit
let page: Page

const SLOW = 'slow'

beforeAll(async () => {
  city = await startMcpServer()
  city.setTools([
    {
      name: 'get_weather',
      annotations: { readOnlyHint: true },
      properties: { place: { type: 'string' } },
      run: async ({ place }) => {
        if (place === SLOW) await city.wait(SLOW)
        return `{"temp": 20, "place": "${String(place)}"}`
      },
    },
  ])
  const env = { PARLEY_MCP_SERVERS: JSON.stringify({ city: { url: city.url } }) }
  await stage.start({ env })
})
beforeEach(async () => {
  page = await stage.open()
})
afterEach(() => stage.clear())
afterAll(async () => {
  await stage.end()
  await city.close()
})

type Invocation = { state: string; toolName: string; result?: string }
type Message = {
  role: string
  content: string
  parts?: { type: string; toolInvocation?: Invocation }[]
  annotations?: { toolCallId?: string; validated?: string; isComplete?: boolean }[]
}

async function readMessages(): Promise<Message[]> {
  const id = new URL(page.url()).pathname.split('/').at(-1)
  const address = `${stage.server.origin}/api/sessions/${id}/messages?format=vercel`
  return (await (await fetch(address)).json()) as Message[]
}

const invocationsOf = (messages: readonly Message[]): Invocation[] =>
  messages.flatMap(({ parts = [] }) => parts.flatMap(({ toolInvocation }) => toolInvocation ?? []))

const annotationsOf = (messages: readonly Message[]) =>
  messages.flatMap(({ annotations = [] }) => annotations.filter((one) => 'toolCallId' in one))

describe('[API2] seed 001', () => {
  test('tool call execution: calling, then its result, which persists', async () => {
    await startChat(
      page,
      script(
        [
          text("I'll check the weather."),
          call('w', 'city__get_weather', { place: SLOW }),
          callTools,
        ],
        [text('The weather in Paris is 20°C.'), stop],
      ),
    )
    await city.gate(SLOW).reached
    await tool(page, 'w').and(page.locator('.pending')).waitFor()
    expect(invocationsOf(await readMessages())).toMatchObject([{ state: 'call' }])
    expect(annotationsOf(await readMessages())).toMatchObject([{ isComplete: false }])
    city.gate(SLOW).release()
    await untilEnded(page, 0)
    await tool(page, 'w').and(page.locator('.success')).waitFor({ state: 'attached' })
    const [last, first] = await readMessages()
    expect(last).toMatchObject({ role: 'assistant', content: 'The weather in Paris is 20°C.' })
    expect(first?.role).toBe('user')
    const messages = await readMessages()
    expect(invocationsOf(messages)).toMatchObject([
      { state: 'result', toolName: 'city__get_weather', result: expect.stringContaining('20') },
    ])
    expect(annotationsOf(messages)).toMatchObject([{ validated: 'not_required', isComplete: true }])
    await expectSameAfterReload(page)
  })

  test('several tool calls: both show their results, and keep them', async () => {
    await startChat(
      page,
      script(
        [
          call('t', 'current_time', { timezone: 'Asia/Tokyo' }),
          call('w', 'city__get_weather', { place: 'Tokyo' }),
          callTools,
        ],
        [text('It is late in Tokyo, and 20°C.'), stop],
      ),
    )
    await untilEnded(page, 0)
    for (const id of ['t', 'w']) {
      await tool(page, id).and(page.locator('.success')).waitFor({ state: 'attached' })
    }
    expect(invocationsOf(await readMessages()).map(({ state }) => state)).toEqual([
      'result',
      'result',
    ])
    await expectSameAfterReload(page)
  })

  test('page refresh: a call that has its result does not go back to calling', async () => {
    await startChat(
      page,
      script(
        [call('w', 'city__get_weather', { place: 'Paris' }), callTools],
        [text('20°C.'), stop],
      ),
    )
    await untilEnded(page, 0)
    await page.reload()
    await answer(page, 0).waitFor()
    await tool(page, 'w').and(page.locator('.success')).waitFor({ state: 'attached' })
    expect(await page.locator('.tool-block.pending').count()).toBe(0)
    expect(invocationsOf(await readMessages())).toMatchObject([{ state: 'result' }])
  })
})

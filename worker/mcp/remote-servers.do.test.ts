import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import type { ToolList } from '../http/tools.ts'
import { call } from '../testing/call-app.ts'
import { allowTool, api, LiveSession, model, script } from '../testing/live-session.ts'

// The real object and real servers, over the fetch of the platform and under its rules.

const SECRET = 'workerd-mcp-secret'

/** A run that calls each of these once, in one step, and then ends. */
async function runWith(calls: readonly { name: string; arguments?: unknown }[]) {
  const session = await LiveSession.create()
  const socket = await session.connect()
  const toolCalls = calls.map(({ name, arguments: input = {} }, index) => ({
    toolCall: { id: `call-${index}`, index, name, arguments: JSON.stringify(input) },
  }))
  const text = script(
    [...toolCalls, { finish: 'tool_calls' }],
    [{ text: 'Done.' }, { finish: 'stop' }],
  )
  socket.command({ type: 'send', text })
  await socket.untilEvent(({ type }) => type === 'run_done')
  const events = await session.events()
  // Side by side they end in any order: here in that of the calls.
  const callIds = events.flatMap((event) =>
    event.type === 'tool_call_start' ? [event.callId] : [],
  )
  const placeOf = ({ callId }: { callId: string }): number => callIds.indexOf(callId)
  const results = events.filter(isToolResult).toSorted((a, b) => placeOf(a) - placeOf(b))
  return { events, results }
}

const isToolResult = (event: SessionEvent): event is SessionEvent & { type: 'tool_result' } =>
  event.type === 'tool_result'

describe.each(['older', 'newer'])('the server %s', (server) => {
  test('[TOOL8] a run in the object calls its tools', async () => {
    const { results, events } = await runWith([
      { name: `${server}__echo`, arguments: { text: 'from workerd' } },
      { name: `${server}__echo`, arguments: { text: 'again' } },
    ])
    expect(results).toMatchObject([
      { ok: true, result: 'echo: from workerd' },
      { ok: true, result: 'echo: again' },
    ])
    expect(events.at(-1)).toMatchObject({ type: 'run_done', outcome: 'done' })
  })

  test('[TOOL8] and so does an object that another one has listed them for', async () => {
    const calls = [{ name: `${server}__echo`, arguments: { text: 'hi' } }]
    const runs = await Promise.all([runWith(calls), runWith(calls), runWith(calls)])
    for (const { results } of runs) {
      expect(results).toMatchObject([{ ok: true, result: 'echo: hi' }])
    }
  })

  test('[TOOL3] [SAF3] a call that dies is an error, and a secret that is told is hidden', async () => {
    await Promise.all([allowTool(`${server}__die`), allowTool(`${server}__whoami`)])
    const { events, results } = await runWith([
      { name: `${server}__die` },
      { name: `${server}__whoami` },
    ])
    expect(results).toMatchObject([
      {
        ok: false,
        error: {
          code: 'tool_error',
          message: expect.stringMatching(new RegExp(`^${server} (clo|cou)`)),
        },
      },
      { ok: true, result: 'you are [hidden]' },
    ])
    expect(JSON.stringify(events)).not.toContain(SECRET)
  })

  test('[TOOL8] GET /api/tools names the server of each', async () => {
    for (const ask of [() => call('/api/tools'), () => api('/tools')]) {
      const { tools, warnings } = await (await ask()).json<ToolList>()
      expect(warnings).toEqual([])
      expect(tools.filter((tool) => tool.server === server)).toEqual([
        { name: `${server}__echo`, description: 'Says it again.', server, readOnly: true },
        { name: `${server}__whoami`, description: '', server, readOnly: false },
        {
          name: `${server}__mark`,
          description: 'Leaves a mark that stays.',
          server,
          readOnly: false,
        },
        { name: `${server}__die`, description: '', server, readOnly: false },
      ])
    }
  })
})

test('[RUN10] a server that is not there is a warning, and the others are listed', async () => {
  const down = { gone: { url: 'http://127.0.0.1:1/mcp', headers: { 'x-key': SECRET } } }
  const vars = { PARLEY_MCP_SERVERS: JSON.stringify(down) }
  const list = await (await call('/api/tools', { vars })).json<ToolList>()
  expect(list.warnings).toEqual([
    {
      code: 'mcp_unavailable',
      message: 'The tools of gone are missing: it could not be reached.',
    },
  ])
  expect(list.tools.length).toBeGreaterThan(0)
})

test('[TOOL8] the strict model server had nothing to say against their schemas', async () => {
  await runWith([{ name: 'older__echo', arguments: { text: 'hi' } }])
  expect(await model.violations()).toEqual([])
})

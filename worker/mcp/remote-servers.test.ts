import { runCall } from '../testing/node/run-call.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { createRegistry, type AnyTool } from '../core/tools/registry.ts'
import type { ToolContext, ToolOutcome } from '../core/tools/tool.ts'
import {
  startMcpServer,
  type KitOptions,
  type KitTool,
  type McpKit,
} from '../testing/node/mcp-server.ts'
import { createRemoteServers, type RemoteOptions } from './remote-servers.ts'
import type { McpServer } from './settings.ts'

// Real servers over real HTTP; time is the test's.

const TOKEN = 'mcp-secret-0123456789'
const ECHO: KitTool = {
  name: 'echo',
  description: 'Says it again.',
  properties: { text: { type: 'string' } },
  annotations: { readOnlyHint: true },
  run: ({ text }) => `echo: ${String(text)}`,
}
const WRITE: KitTool = { name: 'write', run: () => 'written' }

const kits: McpKit[] = []
afterEach(async () => {
  await Promise.all(kits.splice(0).map((kit) => kit.close()))
})

async function startKit(tools: readonly KitTool[] = [ECHO, WRITE], options: KitOptions = {}) {
  const kit = await startMcpServer(options)
  kit.setTools(tools)
  kits.push(kit)
  return kit
}

const settingsOf = (kit: McpKit, changes: Partial<McpServer> = {}): McpServer => ({
  name: 'kit',
  url: new URL(kit.url),
  headers: { authorization: `Bearer ${TOKEN}` },
  ...changes,
})

function remote(servers: McpServer | readonly McpServer[], options: Partial<RemoteOptions> = {}) {
  const list = Array.isArray(servers) ? servers : [servers as McpServer]
  return createRemoteServers(list, { fetch: (url, init) => fetch(url, init), ...options })
}

const never = (): AbortSignal => new AbortController().signal

/** As the run does it: through the registry, which never rejects. */
function execute(
  tools: readonly AnyTool[],
  toolName: string,
  input: unknown = {},
  { signal = never(), output = () => {} }: Partial<ToolContext> = {},
): Promise<ToolOutcome> {
  const context = { signal, output, now: () => 0 }
  return runCall(createRegistry(tools), { toolName, arguments: JSON.stringify(input) }, context)
}

const failed = (message: unknown) => ({ ok: false, error: { code: 'tool_error', message } })
const isCall = ({ rpc }: { rpc: string | null }): boolean => rpc === 'tools/call'
const isList = ({ rpc }: { rpc: string | null }): boolean => rpc === 'tools/list'

for (const era of ['sessions', 'stateless'] as const) {
  describe(`a server of the kind ${era}`, () => {
    test('[TOOL8] its tools are named after it, described and called', async () => {
      const kit = await startKit([ECHO, WRITE], { era })
      const servers = remote(settingsOf(kit, { timeMs: 1234 }))
      const { tools, warnings } = await servers.list('kit', never())
      expect(warnings).toEqual([])
      expect(tools).toMatchObject([
        { name: 'kit__echo', description: 'Says it again.', readOnly: true, timeMs: 1234 },
        { name: 'kit__write', description: '', readOnly: false, repeatable: false },
      ])
      expect(tools[0]?.inputSchema).toMatchObject({
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
      })
      expect(await execute(tools, 'kit__echo', { text: 'hi' })).toEqual({
        ok: true,
        result: 'echo: hi',
      })
      const sent = kit.requests.map(({ headers }) => headers.get('authorization'))
      expect(new Set(sent)).toEqual(new Set([`Bearer ${TOKEN}`]))
    })

    test('[TOOL3] one that dies in the middle of a call is a tool error, not a wait', async () => {
      const kit = await startKit([], { era })
      kit.setTools([{ ...WRITE, run: () => kit.wait('write').then(() => 'never heard') }])
      const { tools } = await remote(settingsOf(kit)).list('kit', never())
      const outcome = execute(tools, 'kit__write')
      await kit.gate('write').reached
      kit.cutConnections()
      expect(await outcome).toEqual(failed(expect.stringMatching(/^kit (closed|could not)/)))
    })

    test('[TOOL3] a tool that is gone says so, and the next run lists anew', async () => {
      const kit = await startKit([ECHO, WRITE], { era })
      const servers = remote(settingsOf(kit), { now: () => 0 })
      const { tools } = await servers.list('kit', never())
      kit.setTools([ECHO])
      expect(await execute(tools, 'kit__write')).toEqual(
        failed('kit does not offer this tool any more.'),
      )
      const next = await servers.list('kit', never())
      expect(next.tools.map(({ name }) => name)).toEqual(['kit__echo'])
    })

    test('[TOOL3] a cancelled call is given up at the server too', async () => {
      const kit = await startKit([], { era })
      kit.setTools([{ ...WRITE, run: () => kit.wait('write').then(() => 'late') }])
      const { tools } = await remote(settingsOf(kit)).list('kit', never())
      const controller = new AbortController()
      const outcome = execute(tools, 'kit__write', {}, { signal: controller.signal })
      await kit.gate('write').reached
      controller.abort()
      expect(await outcome).toMatchObject({ ok: false, error: { code: 'tool_interrupted' } })
      // The newer protocol says it by hanging up, the older one in words.
      if (era === 'stateless') await kit.abandoned
      else await kit.untilRequests(({ rpc }) => rpc === 'notifications/cancelled')
      kit.gate('write').release()
    })
  })
}

describe('listing', () => {
  test('[RUN10] a server that hangs is a warning with its name; the others are there', async () => {
    const [well, slow] = [await startKit(), await startKit()]
    slow.setMisbehaviour(() => ({ kind: 'hang' }))
    // Long enough for the one that answers, also where the machine is busy.
    const servers = remote([settingsOf(well), settingsOf(slow, { name: 'slow' })], { listMs: 2000 })
    const lists = await Promise.all(servers.names.map((name) => servers.list(name, never())))
    expect(lists[0]?.tools).toHaveLength(2)
    expect(lists[1]).toMatchObject({
      tools: [],
      warnings: [
        {
          code: 'mcp_unavailable',
          message: 'The tools of slow are missing: it did not answer in time.',
        },
      ],
    })
  })

  const steps = ['initialize', 'notifications/initialized', 'tools/list']
  test.each(steps)('[RUN10] a server that hangs at %s is a warning', async (step) => {
    const kit = await startKit()
    kit.setMisbehaviour(({ rpc }) => (rpc === step ? { kind: 'hang' } : undefined))
    const { warnings } = await remote(settingsOf(kit), { listMs: 200 }).list('kit', never())
    expect(warnings[0]?.message).toContain('did not answer in time')
  })

  const wrong = [
    ['refuses the credentials', { status: 401 }, 'refused the credentials (HTTP 401)'],
    ['breaks', { status: 500 }, 'answered with HTTP 500'],
    ['is not there', { status: 404 }, 'answered with HTTP 404'],
    ['sends a page', { status: 200, type: 'text/html', body: '<p>' }, 'sent what is not MCP'],
    ['sends broken JSON', { status: 200, body: '{"jsonrpc":' }, 'sent what is not MCP'],
    ['sends other JSON', { status: 200, body: '{"ok":true}' }, 'sent what is not MCP'],
    ['accepts and says nothing', { status: 202 }, 'closed the connection before it had answered'],
    [
      'ends its stream without an answer',
      { status: 200, type: 'text/event-stream', body: 'data: nonsense\n\n' },
      'closed the connection before it had answered',
    ],
  ] as const
  test.each(wrong)('[RUN10] a server that %s is a warning', async (_, answer, words) => {
    const kit = await startKit()
    const {
      status,
      type = 'application/json',
      body = '',
    } = { type: undefined, ...answer } as {
      status: number
      type?: string
      body?: string
    }
    const headers = { 'content-type': type }
    kit.setMisbehaviour(() => ({ kind: 'raw', status, headers, body }))
    const offer = await remote(settingsOf(kit)).list('kit', never())
    expect(offer).toMatchObject({
      tools: [],
      warnings: [
        { code: 'mcp_unavailable', message: `The tools of kit are missing: it ${words}.` },
      ],
    })
  })

  test('[RUN10] a server that is not running is a warning', async () => {
    const kit = await startKit()
    await kit.close()
    const { warnings } = await remote(settingsOf(kit)).list('kit', never())
    expect(warnings[0]?.message).toBe('The tools of kit are missing: it could not be reached.')
  })

  test('[RUN10] malformed and oversized tools are left out, the others are there', async () => {
    const kit = await startKit()
    const schema = { type: 'object' }
    const deep: Record<string, unknown> = {}
    let inner = deep
    for (let depth = 0; depth < 500; depth++) inner = inner['not'] = {}
    const tools = [
      { name: 'good', inputSchema: schema },
      { name: 'good', inputSchema: schema },
      { name: '', inputSchema: schema },
      { name: 'x'.repeat(300), inputSchema: schema },
      { name: 'no-schema' },
      { name: 'array', inputSchema: { type: 'array' } },
      { name: 'properties', inputSchema: { type: 'object', properties: { a: 'string' } } },
      { name: 'deep', inputSchema: { type: 'object', not: deep } },
      { name: 'large', inputSchema: { type: 'object', title: 'x'.repeat(20_000) } },
      { name: TOKEN, inputSchema: schema },
      { name: 'wordy', description: 'w'.repeat(50_000), inputSchema: schema },
      { name: 'odd', inputSchema: schema, annotations: 'yes' },
      { name: 'liar', inputSchema: schema, annotations: { readOnlyHint: 'true' } },
      null,
    ]
    kit.setMisbehaviour(({ rpc }) =>
      rpc === 'tools/list' ? { kind: 'result', result: { tools } } : undefined,
    )
    const offer = await remote(settingsOf(kit)).list('kit', never())
    expect(offer.tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ['kit__good', false],
      ['kit__wordy', false],
      ['kit__odd', false],
      ['kit__liar', false],
    ])
    expect(offer.tools[1]?.description).toHaveLength(2000)
    expect(offer.warnings).toEqual([
      {
        code: 'mcp_tools_left_out',
        message: '10 tools of kit left out: malformed, too large or named twice.',
      },
    ])
  })

  test('[RUN10] pages are read one after another', async () => {
    const kit = await startKit()
    const pages: Record<string, unknown> = {
      '': { tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: '2' },
      '2': { tools: [{ name: 'b', inputSchema: { type: 'object' } }] },
    }
    kit.setMisbehaviour(({ rpc, params }) =>
      rpc === 'tools/list'
        ? { kind: 'result', result: pages[(params['cursor'] as string | undefined) ?? ''] }
        : undefined,
    )
    const offer = await remote(settingsOf(kit)).list('kit', never())
    expect(offer.tools.map(({ name }) => name)).toEqual(['kit__a', 'kit__b'])
    expect(offer.warnings).toEqual([])
  })

  test('[RUN10] pages without end stop, and so do tools without end', async () => {
    const kit = await startKit()
    const page = (tools: number) => (request: { rpc: string | null }) => {
      if (!isList(request)) return undefined
      const at = kit.requests.filter(isList).length
      const named = Array.from({ length: tools }, (_, index) => ({
        name: `t${at}-${index}`,
        inputSchema: { type: 'object' },
      }))
      return { kind: 'result', result: { tools: named, nextCursor: 'more' } } as const
    }
    kit.setMisbehaviour(page(1))
    const few = await remote(settingsOf(kit)).list('kit', never())
    expect(few.tools).toHaveLength(10)
    expect(few.warnings[0]?.message).toBe('kit offers too many tools: the first 10 are used.')
    kit.setMisbehaviour(page(5000))
    const many = await remote(settingsOf(kit)).list('kit', never())
    expect(many.tools).toHaveLength(128)
    expect(many.warnings[0]?.message).toBe('kit offers too many tools: the first 128 are used.')
  })

  test('[RUN10] a list too large to be one is cut off while it is read', async () => {
    const kit = await startKit()
    const body = `{"jsonrpc":"2.0","id":1,"result":{"tools":["${'x'.repeat(5 * 1024 * 1024)}"]}}`
    for (const type of ['application/json', 'text/event-stream']) {
      const sent = type === 'application/json' ? body : `data: ${body}\n\n`
      kit.setMisbehaviour((request) =>
        isList(request)
          ? { kind: 'raw', status: 200, headers: { 'content-type': type }, body: sent }
          : undefined,
      )
      const { warnings } = await remote(settingsOf(kit)).list('kit', never())
      expect(warnings[0]?.message).toBe('The tools of kit are missing: it sent more than 4 MiB.')
    }
  })

  test('[TOOL8] it is kept for a minute, a failure for ten seconds', async () => {
    const kit = await startKit()
    let now = 0
    const servers = remote(settingsOf(kit), { now: () => now })
    await servers.list('kit', never())
    kit.setTools([WRITE])
    now = 59_999
    expect((await servers.list('kit', never())).tools).toHaveLength(2)
    now = 60_000
    expect((await servers.list('kit', never())).tools).toHaveLength(1)

    now = 120_000
    kit.setMisbehaviour(() => ({ kind: 'raw', status: 503, body: '' }))
    expect((await servers.list('kit', never())).warnings).toHaveLength(1)
    kit.setMisbehaviour(() => undefined)
    now = 129_999
    expect((await servers.list('kit', never())).warnings).toHaveLength(1)
    now = 130_000
    expect(await servers.list('kit', never())).toMatchObject({
      tools: [{ name: 'kit__write' }],
      warnings: [],
    })
  })

  test('[TOOL8] one request asks once; another does not wait for its answer', async () => {
    const kit = await startKit()
    const servers = remote(settingsOf(kit))
    const [mine, other] = [never(), never()]
    await Promise.all([mine, mine, other].map((signal) => servers.list('kit', signal)))
    expect(kit.requests.filter(isList)).toHaveLength(2)
  })

  test('[TOOL8] whoever stops waiting is let go and says nothing about the server', async () => {
    const kit = await startKit()
    kit.setMisbehaviour(() => ({ kind: 'hang' }))
    const servers = remote(settingsOf(kit), { now: () => 0 })
    const controller = new AbortController()
    const asked = servers.list('kit', controller.signal)
    await kit.untilRequests(() => true)
    controller.abort()
    expect((await asked).tools).toEqual([])
    kit.setMisbehaviour(() => undefined)
    expect((await servers.list('kit', never())).tools).toHaveLength(2)
  })

  test('[TOOL8] a tool is repeatable when its server said so, and not before', async () => {
    const kit = await startKit([ECHO, WRITE, { ...WRITE, name: 'put', annotations: IDEMPOTENT }])
    const servers = remote(settingsOf(kit))
    expect(servers.isRepeatable('kit__put')).toBe(false)
    await servers.list('kit', never())
    const names = ['kit__echo', 'kit__write', 'kit__put', 'kit__gone', 'other__put', 'put']
    expect(names.map((name) => servers.isRepeatable(name))).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
    ])
  })

  test('[TOOL8] a server that is not configured has no tools', async () => {
    expect(await remote([]).list('nobody', never())).toEqual({ tools: [], warnings: [] })
  })
})

const IDEMPOTENT = { idempotentHint: true }

describe('calling', () => {
  test('[TOOL3] an error that a tool reports is a tool error with its text', async () => {
    const content = [{ type: 'text' as const, text: 'the disk is full' }]
    const kit = await startKit([{ ...WRITE, run: () => ({ content, isError: true }) }])
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    expect(await execute(tools, 'kit__write')).toEqual(failed('the disk is full'))
  })

  test('[TOOL3] wrong arguments are an error of the tool, which is still there', async () => {
    const kit = await startKit()
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    const outcome = await execute(tools, 'kit__echo', { text: 5 })
    expect(outcome).toEqual(failed(expect.stringMatching(/text/)))
    expect(outcome).not.toEqual(failed(expect.stringMatching(/any more/)))
  })

  test('[TOOL3] a result that sounds like a missing tool is only one if it is', async () => {
    const content = [{ type: 'text' as const, text: 'File not found' }]
    const kit = await startKit([{ ...WRITE, run: () => ({ content, isError: true }) }])
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    expect(await execute(tools, 'kit__write')).toEqual(failed('File not found'))
  })

  test('[TOOL3] a session that the server forgot is begun anew, once', async () => {
    const kit = await startKit()
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    let forgotten = 0
    kit.setMisbehaviour((request) =>
      isCall(request) && forgotten++ === 0
        ? { kind: 'raw', status: 404, body: 'Session not found' }
        : undefined,
    )
    expect(await execute(tools, 'kit__write')).toEqual({ ok: true, result: 'written' })
    expect(kit.requests.filter(isCall)).toHaveLength(2)

    kit.setMisbehaviour((request) =>
      isCall(request) ? { kind: 'raw', status: 404, body: '' } : undefined,
    )
    expect(await execute(tools, 'kit__write')).toEqual(failed('kit forgets its sessions.'))
    expect(kit.requests.filter(isCall)).toHaveLength(4)
  })

  test('[TOOL3] a call that may have been made is not made again', async () => {
    const kit = await startKit()
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    for (const answer of [{ kind: 'die' }, { kind: 'raw', status: 503, body: '' }] as const) {
      const before = kit.requests.filter(isCall).length
      kit.setMisbehaviour((request) => (isCall(request) ? answer : undefined))
      expect(await execute(tools, 'kit__write')).toMatchObject({ ok: false })
      expect(kit.requests.filter(isCall)).toHaveLength(before + 1)
    }
  })

  test('[TOOL3] a call that hangs ends with the time of the server', async () => {
    const kit = await startKit()
    const { tools } = await remote(settingsOf(kit, { timeMs: 100 })).list('kit', never())
    kit.setMisbehaviour((request) => (isCall(request) ? { kind: 'hang' } : undefined))
    expect(await execute(tools, 'kit__write')).toMatchObject({
      ok: false,
      error: { code: 'tool_timeout' },
    })
  })

  test('[TOOL3] an answer to another question is not an answer', async () => {
    const kit = await startKit()
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    const headers = { 'content-type': 'application/json' }
    const body = '{"jsonrpc":"2.0","id":99,"result":{"content":[]}}'
    kit.setMisbehaviour((request) =>
      isCall(request) ? { kind: 'raw', status: 200, headers, body } : undefined,
    )
    expect(await execute(tools, 'kit__write')).toEqual(
      failed('kit closed the connection before it had answered.'),
    )
  })

  test('[TOOL8] content of a kind that nobody knows does not hide the rest', async () => {
    const kit = await startKit()
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    const content = [{ type: 'hologram' }, { type: 'text', text: 'and words' }]
    kit.setMisbehaviour((request) =>
      isCall(request) ? { kind: 'result', result: { content } } : undefined,
    )
    expect(await execute(tools, 'kit__write')).toEqual({
      ok: true,
      result: '[content of an unknown kind]\nand words',
    })
  })

  test('[TOOL8] sessions are ended when nobody needs them', async () => {
    const kit = await startKit()
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    await execute(tools, 'kit__write')
    await kit.untilRequests(({ method }) => method === 'DELETE', 2)
    expect(kit.requests.filter(({ method }) => method === 'GET')).toEqual([])
  })
})

const say = (_: unknown, headers: Headers): string => `you sent ${headers.get('authorization')}`

describe('secrets', () => {
  test('[SAF3] a server that sends its headers back shows them to nobody', async () => {
    const kit = await startKit([
      { ...ECHO, description: `for Bearer ${TOKEN}`, run: say },
      {
        ...WRITE,
        run: (input, headers) => ({
          content: [{ type: 'text', text: say(input, headers) }],
          isError: true,
        }),
      },
    ])
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    expect(JSON.stringify(tools)).not.toContain(TOKEN)
    const outcomes = [
      await execute(tools, 'kit__echo', { text: 'hi' }),
      await execute(tools, 'kit__write'),
    ]
    expect(outcomes).toEqual([
      { ok: true, result: 'you sent [hidden]' },
      failed('you sent [hidden]'),
    ])
  })

  test('[SAF3] nor do its errors and the names of its fields', async () => {
    const kit = await startKit()
    const { tools } = await remote(settingsOf(kit)).list('kit', never())
    const error = { code: -32000, message: `no ${TOKEN} here` }
    const headers = { 'content-type': 'application/json' }
    kit.setMisbehaviour((request) =>
      isCall(request)
        ? {
            kind: 'raw',
            status: 200,
            headers,
            body: JSON.stringify({ jsonrpc: '2.0', id: request.id, error }),
          }
        : undefined,
    )
    expect(await execute(tools, 'kit__write')).toEqual(
      failed('kit answered with an error: no [hidden] here.'),
    )
    const inputSchema = { type: 'object', properties: { [TOKEN]: { description: TOKEN } } }
    kit.setMisbehaviour((request) =>
      isList(request)
        ? { kind: 'result', result: { tools: [{ name: 'a', inputSchema }] } }
        : undefined,
    )
    const offer = await remote(settingsOf(kit)).list('kit', never())
    expect(offer.tools).toHaveLength(1)
    expect(JSON.stringify(offer)).not.toContain(TOKEN)
  })

  test('[SAF3] a refusal that quotes them is told without its words', async () => {
    const kit = await startKit()
    kit.setMisbehaviour(() => ({ kind: 'raw', status: 418, body: `Bearer ${TOKEN}` }))
    const offer = await remote(settingsOf(kit)).list('kit', never())
    expect(offer.warnings[0]?.message).toContain('HTTP 418')
    expect(JSON.stringify(offer)).not.toContain(TOKEN)
  })

  test('[SAF3] a redirect elsewhere is not followed, one within the server is', async () => {
    const [kit, elsewhere] = [await startKit(), await startKit()]
    let location = elsewhere.url
    kit.setMisbehaviour(({ headers }) => {
      const isFollowed = kit.requests.filter((request) => request.headers === headers).length === 0
      return isFollowed ? undefined : { kind: 'raw', status: 307, headers: { location }, body: '' }
    })
    const away = await remote(settingsOf(kit)).list('kit', never())
    expect(away.warnings[0]?.message).toContain('redirects to another address')
    expect(elsewhere.requests).toEqual([])

    let redirects = 0
    location = `${kit.url}/`
    kit.setMisbehaviour(() =>
      redirects++ % 2 === 0
        ? { kind: 'raw', status: 307, headers: { location }, body: '' }
        : undefined,
    )
    expect((await remote(settingsOf(kit)).list('kit', never())).tools).toHaveLength(2)
  })
})

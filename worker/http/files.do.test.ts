import { env } from 'cloudflare:test'
import { unzipSync, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import type { CheckpointsPage, FileDiffView, FileList, WrittenFile } from '#protocol/http'
import { call, createSession, refusalOf, TWO_OWNERS, UNKNOWN_ID } from '../testing/call-app.ts'
import { LiveSession, script } from '../testing/live-session.ts'

const MIB = 1024 * 1024

/** A session that is only written to over HTTP. */
async function open(): Promise<{ id: string; at: (path: string) => string }> {
  const { id } = await createSession()
  return { id, at: (path) => `/api/sessions/${id}/files${path}` }
}

const put = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  call(path, { method: 'PUT', body, headers })

const writtenIn = async (response: Response): Promise<WrittenFile> => {
  expect(response.status).toBe(200)
  return response.json<WrittenFile>()
}

const listOf = async (at: (path: string) => string): Promise<FileList> =>
  (await call(at(''))).json<FileList>()

const routes = (id: string) => [
  { path: `/api/sessions/${id}/files` },
  { path: `/api/sessions/${id}/files/a.txt` },
  { path: `/api/sessions/${id}/files/a.txt`, method: 'PUT', body: 'x' },
  { path: `/api/sessions/${id}/files/a.txt`, method: 'DELETE' },
  { path: `/api/sessions/${id}/files/move`, json: { from: 'a.txt', to: 'b.txt' } },
  { path: `/api/sessions/${id}/files.zip` },
  { path: `/api/sessions/${id}/files.zip`, method: 'POST', body: 'x' },
  { path: `/api/sessions/${id}/checkpoints` },
  { path: `/api/sessions/${id}/checkpoints/c2/diff?path=a.txt` },
  { path: `/api/workspace/tree?session_id=${id}` },
]

const zip = (files: Record<string, string>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)]),
    ),
  )

describe('[FILE1] the files of a session', () => {
  test('[FILE1] [FILE5] are written, listed, read, moved and deleted', async () => {
    const { id, at } = await open()
    const { file, seq } = await writtenIn(await put(at('/docs/über%20uns.md'), '# Hallo\n'))
    expect(file).toMatchObject({ path: 'docs/über uns.md', size: 8 })
    const { files, bytes, limit } = await listOf(at)
    expect(files).toEqual([file])
    expect([bytes, limit]).toEqual([8, 256 * MIB])

    const read = await call(at('/docs/über%20uns.md'))
    expect(await read.text()).toBe('# Hallo\n')
    expect(read.headers.get('etag')).toBe(`"${file!.hash}"`)

    const json = { from: 'docs/über uns.md', to: 'readme.md' }
    const moved = await writtenIn(await call(at('/move'), { json }))
    expect(moved.file).toMatchObject({ path: 'readme.md', hash: file!.hash })
    expect((await call(at('/docs/über%20uns.md'))).status).toBe(404)
    expect((await call(at('/move'), { json })).status).toBe(404)
    const gone = await call(at('/readme.md'), { method: 'DELETE' })
    expect(await gone.json()).toEqual({ file: null, seq: seq + 2 })
    expect((await call(at('/readme.md'), { method: 'DELETE' })).status).toBe(404)

    const { events } = await (
      await call(`/api/sessions/${id}/events`)
    ).json<{ events: { type: string; by: string }[] }>()
    const changes = events.filter(({ type }) => type === 'files_changed')
    expect(changes.map(({ by }) => by)).toEqual(['owner', 'owner', 'owner'])
  })

  test('[FILE1] [SAF2] are never run: no page, no guess, no script', async () => {
    const { at } = await open()
    const page = '<script>alert(document.cookie)</script>'
    await put(at('/evil.html'), page)
    await put(at('/evil.svg'), '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    await put(at('/raw.bin'), new Uint8Array([0, 1, 2, 255]))
    for (const [path, type, disposition] of [
      ['/evil.html', 'text/plain; charset=utf-8', 'attachment'],
      ['/evil.html?inline', 'text/plain; charset=utf-8', 'inline'],
      ['/evil.svg?inline', 'text/plain; charset=utf-8', 'inline'],
      ['/raw.bin?inline', 'application/octet-stream', 'attachment'],
    ] as const) {
      const response = await call(at(path))
      expect(response.headers.get('content-type'), path).toBe(type)
      expect(response.headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`))
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('content-security-policy')).toContain('sandbox')
      await response.body?.cancel()
    }
    const name = '/a%22%0d%0ax:%20y.txt'
    expect(await refusalOf(await put(at(name), 'x'))).toMatchObject({ code: 'bad_request' })
    await put(at('/it%27s%20%22so%22;.txt'), 'x')
    const quoted = await call(at('/it%27s%20%22so%22;.txt'))
    expect(quoted.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''it%27s%20%22so%22%3B.txt",
    )
  })

  test('[FILE4] [FILE5] a write can say what it is made of', async () => {
    const { at } = await open()
    const path = at('/a.txt')
    const first = await writtenIn(await put(path, 'one', { 'if-none-match': '*' }))
    const tag = `"${first.file!.hash}"`
    const again = await put(path, 'two', { 'if-none-match': '*' })
    expect(await refusalOf(again)).toMatchObject({ status: 412, code: 'file_conflict' })
    const second = await writtenIn(await put(path, 'two', { 'if-match': tag }))
    expect(second.seq).toBe(first.seq + 1)
    const stale = await put(path, 'three', { 'if-match': tag })
    expect(await refusalOf(stale)).toMatchObject({ status: 412, code: 'file_conflict' })
    const missing = await put(at('/b.txt'), 'x', { 'if-match': '*' })
    expect(await refusalOf(missing)).toMatchObject({ status: 412, code: 'file_conflict' })
    const late = await call(path, { method: 'DELETE', headers: { 'if-match': tag } })
    expect(await refusalOf(late)).toMatchObject({ status: 412 })
    for (const headers of [{ 'if-match': '"x"' }, { 'if-none-match': tag }]) {
      expect(await refusalOf(await put(path, 'x', headers as never))).toMatchObject({ status: 400 })
    }
    expect(await (await call(path)).text()).toBe('two')
    const known = await call(path, { headers: { 'if-none-match': `"${second.file!.hash}"` } })
    expect(known.status).toBe(304)
    const older = await call(`${path}?version=${first.file!.hash}`)
    expect(await older.text()).toBe('one')
    expect((await call(`${at('/c.txt')}?version=${first.file!.hash}`)).status).toBe(404)
    expect((await call(`${path}?version=../../x`)).status).toBe(400)
  })

  test('[FILE1] [SAF2] what cannot be beside each other is refused', async () => {
    const { at } = await open()
    await put(at('/dir/a.txt'), 'a')
    for (const path of ['/dir', '/DIR/b.txt', '/dir/a.txt/b']) {
      expect(await refusalOf(await put(at(path), 'x')), path).toMatchObject({
        status: 409,
        code: 'file_conflict',
      })
    }
    const json = { from: 'dir/a.txt', to: 'dir/a.txt' }
    expect(await refusalOf(await call(at('/move'), { json }))).toMatchObject({ status: 409 })
    expect((await listOf(at)).files).toHaveLength(1)
  })
})

describe('[SAF2] paths that attack', () => {
  test.each([
    '/%2e%2e%2fsecret',
    '/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/..%2f..%2fsecret',
    '/a%2f..%2f..%2fb',
    '//etc/passwd',
    '/%2fetc%2fpasswd',
    '/%252e%252e%252fsecret',
    '/%25252e%25252e%25252fsecret',
    '/%c0%ae%c0%ae/secret',
    '/a%00b.txt',
    '/a%2500b.txt',
    '/..%5c..%5csecret',
    '/C:%5cWindows',
    '/c:/x',
    '/file:%2f%2f%2fetc%2fpasswd',
    '/~/x',
    '/con.txt',
    '/__proto__',
    '/a.',
    '/a%20',
    '/a%e2%80%aegnp.txt',
    '/%ef%bc%8e%ef%bc%8e%2fx',
    '/%ff%fe',
    '/%zz',
    '/',
    '/a/',
    `/${'x'.repeat(300)}`,
    `/${'d/'.repeat(40)}x`,
    `/${'long/'.repeat(5000)}x`,
  ])('%s is no file, for nobody', async (path) => {
    const { at } = await open()
    for (const options of [{}, { method: 'PUT', body: 'x' }, { method: 'DELETE' }]) {
      const { status, code } = await refusalOf(await call(at(path), options))
      expect([status, code]).toEqual([400, 'bad_request'])
    }
    expect((await listOf(at)).files).toEqual([])
  })

  test('[SAF2] nor does a move lead out of the workspace', async () => {
    const { at } = await open()
    await put(at('/a.txt'), 'a')
    for (const json of [
      { from: 'a.txt', to: '../b.txt' },
      { from: '../a.txt', to: 'b.txt' },
      { from: 'a.txt', to: '/etc/passwd' },
      { from: 'a.txt', to: 'a\u0000b' },
      { from: 'a.txt', to: '%2e%2e/b' },
      { from: 'a.txt', to: '\ud800' },
      { from: 'a.txt' },
      { from: 'a.txt', to: 7 },
    ]) {
      expect(await refusalOf(await call(at('/move'), { json }))).toMatchObject({ status: 400 })
    }
    expect((await listOf(at)).files.map(({ path }) => path)).toEqual(['a.txt'])
  })

  test('[SAF2] dots that the address swallows lead to another route, not to a file', async () => {
    const { at } = await open()
    for (const [path, status] of [
      ['/../secret', 404],
      ['/%2e%2e/secret', 404],
      ['/./../../x', 405],
    ] as const) {
      expect((await refusalOf(await put(at(path), 'x'))).status, path).toBe(status)
    }
    expect((await listOf(at)).files).toEqual([])
  })
})

test('[SAF2] an address that is spelled in another way is no file', async () => {
  const { id, at } = await open()
  const base = `/api/sessions/${id}`
  const first = `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`
  for (const path of [
    `${base}/%66iles/x.txt`,
    `${base}/%66iles/a/files/b.txt`,
    `${base}/fil%65s/files/b.txt`,
    `/api/sessions/${first}/files/x.txt`,
    `/api/sessions/${first}/files${base}/files/x.txt`,
    `/api/%73essions/${id}/files/x.txt`,
    `/%61pi/sessions/${id}/files/x.txt`,
  ]) {
    for (const options of [{}, { method: 'PUT', body: 'x' }, { method: 'DELETE' }]) {
      expect((await refusalOf(await call(path, options))).status, path).toBe(404)
    }
  }
  expect((await listOf(at)).files).toEqual([])
  // Where the path has begun, it is the name of a file like any other.
  await writtenIn(await put(at('/files/files/x.txt'), 'x'))
  expect((await listOf(at)).files.map(({ path }) => path)).toEqual(['files/files/x.txt'])
})

describe('[SAF2] limits', () => {
  test('[SAF2] a file has 8 MiB, said ahead or found while reading', async () => {
    const { at } = await open()
    const full = new Uint8Array(8 * MIB)
    expect((await writtenIn(await put(at('/full.bin'), full))).file).toMatchObject({
      size: 8 * MIB,
    })
    const large = await put(at('/large.bin'), new Uint8Array(8 * MIB + 1))
    expect(await refusalOf(large)).toMatchObject({ status: 413, code: 'too_large' })
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(MIB)),
    })
    expect(await refusalOf(await put(at('/endless.bin'), endless))).toMatchObject({ status: 413 })
    // What is not a file has the limit of every other body.
    const json = { from: 'a', to: 'b'.repeat(2 * MIB) }
    expect(await refusalOf(await call(at('/move'), { json }))).toMatchObject({ status: 413 })
    const { files } = await listOf(at)
    expect(files.map(({ path }) => path)).toEqual(['full.bin'])
    const read = await call(at('/full.bin'))
    expect((await read.arrayBuffer()).byteLength).toBe(8 * MIB)
  })

  test('[SAF2] a small write is three billed rows, and one that changes nothing is none', async () => {
    const session = await LiveSession.create()
    const path = `/api/sessions/${session.id}/files/a.txt`
    await put(path, 'the first one makes the tables')
    const rows = async (text: string): Promise<number> => {
      const before = (await session.stats()).rowsWritten
      await writtenIn(await put(path, text))
      return (await session.stats()).rowsWritten - before
    }
    expect(await rows('another')).toBe(3)
    expect(await rows('another')).toBe(0)
    // Known content: it is only named.
    expect(await rows('the first one makes the tables')).toBe(2)
  })
})

describe('[SAF1] owners', () => {
  test('[SAF1] another owner finds nothing, nobody without a credential either', async () => {
    const alice = { token: 'alice-token', vars: TWO_OWNERS }
    const { id } = await createSession(alice)
    const path = `/api/sessions/${id}/files/a.txt`
    expect((await call(path, { ...alice, method: 'PUT', body: 'mine' })).status).toBe(200)
    for (const { path: route, ...options } of routes(id)) {
      const bob = await call(route, { ...options, token: 'bob-token', vars: TWO_OWNERS })
      expect(await refusalOf(bob), route).toMatchObject({ status: 404, code: 'not_found' })
      const nobody = await call(route, { ...options, vars: TWO_OWNERS })
      expect(await refusalOf(nobody), route).toMatchObject({ status: 401 })
    }
    expect(await (await call(path, alice)).text()).toBe('mine')
  })

  test('[SAF1] [SAF2] asking for a session that is not there stores nothing', async () => {
    for (const { path, ...options } of routes(UNKNOWN_ID)) {
      expect(await refusalOf(await call(path, options)), path).toMatchObject({ status: 404 })
    }
    const stub = env.SESSION.get(env.SESSION.idFromName(UNKNOWN_ID))
    expect(await stub.stats('owner')).toMatchObject({ ok: false })
  })
})

describe('[FILE1] archives', () => {
  test('[FILE1] a workspace comes out as it is and goes into another', async () => {
    const from = await open()
    await put(from.at('/a.txt'), 'a')
    await put(from.at('/src/b.bin'), new Uint8Array(700_000).fill(7))
    await put(from.at('/src/leer.txt'), '')
    const download = await call(`/api/sessions/${from.id}/files.zip`)
    expect(download.headers.get('content-type')).toBe('application/zip')
    const bytes = new Uint8Array(await download.arrayBuffer())
    expect(Object.keys(unzipSync(bytes)).sort()).toEqual(['a.txt', 'src/b.bin', 'src/leer.txt'])
    const folder = await call(`/api/sessions/${from.id}/files.zip?folder=src`)
    const inside = unzipSync(new Uint8Array(await folder.arrayBuffer()))
    expect(Object.keys(inside).sort()).toEqual(['b.bin', 'leer.txt'])

    const to = await open()
    const upload = await call(`/api/sessions/${to.id}/files.zip?into=copy`, { body: bytes })
    expect(await upload.json()).toEqual({ files: 3, seq: expect.any(Number) })
    const { files } = await listOf(to.at)
    const hashes = (await listOf(from.at)).files.map(({ hash, path }) => [`copy/${path}`, hash])
    expect(files.map(({ path, hash }) => [path, hash])).toEqual(hashes)
  })

  test('[SAF2] [FILE1] one as large as it may be is taken', async () => {
    const { id, at } = await open()
    const random = new Uint8Array(5 * MIB)
    for (let i = 0; i < random.length; i += 65_536) {
      crypto.getRandomValues(random.subarray(i, i + 65_536))
    }
    const names = ['a.bin', 'b.bin', 'c.bin']
    const body = zipSync(
      Object.fromEntries(names.map((name, i) => [name, random.map((byte) => byte ^ i)])),
      { level: 0 },
    )
    expect(body.length).toBeGreaterThan(15 * MIB)
    expect((await call(`/api/sessions/${id}/files.zip`, { body })).status).toBe(200)
    const { files, bytes } = await listOf(at)
    expect([files.map(({ path }) => path), bytes]).toEqual([names, 15 * MIB])
  })

  test('[SAF2] one that attacks is refused as a whole', async () => {
    const { id, at } = await open()
    await put(at('/a/b.txt'), 'mine')
    const upload = (body: BodyInit, query = '') =>
      call(`/api/sessions/${id}/files.zip${query}`, { body })
    for (const [archive, status] of [
      [zip({ 'fine.txt': 'x', '../evil.txt': 'x' }), 400],
      [zip({ 'fine.txt': 'x', '/etc/passwd': 'x' }), 400],
      [zip({ 'fine.txt': 'x', 'c:\\evil.txt': 'x' }), 400],
      [zip({ 'fine.txt': 'x', 'FINE.txt': 'x' }), 400],
      [zip({ 'fine.txt': 'x', a: 'a file where a folder is' }), 409],
      [zip({ 'fine.txt': 'x', 'large.txt': 'x'.repeat(8 * MIB + 1) }), 400],
      [zip({ 'fine.txt': 'x' }).slice(0, -5), 400],
      [new Uint8Array([1, 2, 3]), 400],
      [new Uint8Array(16 * MIB + 1), 413],
    ] as const) {
      expect((await refusalOf(await upload(archive))).status).toBe(status)
    }
    const fine = zip({ 'fine.txt': 'x' })
    expect(await refusalOf(await upload(fine, '?into=..'))).toMatchObject({ status: 400 })
    const deep = `?into=${'d/'.repeat(32)}`
    expect(await refusalOf(await upload(fine, deep))).toMatchObject({ status: 400 })
    expect((await listOf(at)).files.map(({ path }) => path)).toEqual(['a/b.txt'])
  })
})

test('[FILE1] the tree as other programs ask for it', async () => {
  const { id, at } = await open()
  await put(at('/src/a.ts'), 'a')
  await put(at('/src/lib/b.ts'), 'bb')
  await put(at('/readme.md'), 'ccc')
  const response = await call(`/api/workspace/tree?session_id=${id}&project_root=/x`)
  const file = { hash: expect.any(String), modified_at: expect.any(Number), type: 'file' }
  expect(await response.json()).toEqual({
    session_id: id,
    total_files: 3,
    total_bytes: 6,
    limit_bytes: 256 * MIB,
    tree: [
      { ...file, name: 'readme.md', path: 'readme.md', size: 3 },
      {
        name: 'src',
        path: 'src',
        type: 'folder',
        children: [
          { ...file, name: 'a.ts', path: 'src/a.ts', size: 1 },
          {
            name: 'lib',
            path: 'src/lib',
            type: 'folder',
            children: [{ ...file, name: 'b.ts', path: 'src/lib/b.ts', size: 2 }],
          },
        ],
      },
    ],
  })
  expect((await call('/api/workspace/tree?session_id=x')).status).toBe(404)
  expect((await call('/api/workspace/tree')).status).toBe(400)
})

describe('[FILE3] checkpoints over HTTP', () => {
  const EDIT = {
    id: 'call_1',
    name: 'edit_file',
    arguments: JSON.stringify({
      path: 'a.txt',
      edits: [
        { oldText: 'one', newText: 'ONE' },
        { oldText: 'five', newText: 'FIVE' },
      ],
    }),
  }

  test('[FILE3] [FILE4] a run edits; it is listed, compared, undone and restored', async () => {
    const session = await LiveSession.create()
    const base = `/api/sessions/${session.id}`
    await put(`${base}/files/a.txt`, 'one\ntwo\nthree\nfour\nfive\n')
    const socket = await session.connect()
    const { runId } = await session.command({
      type: 'send',
      text: script(
        [{ toolCall: EDIT }, { finish: 'tool_calls' }],
        [{ text: 'It is edited now.' }, { finish: 'stop' }],
      ),
    })
    await socket.untilEvent((event) => event.type === 'run_done' && event.runId === runId)
    const text = async (): Promise<string> => (await call(`${base}/files/a.txt`)).text()
    expect(await text()).toBe('ONE\ntwo\nthree\nfour\nFIVE\n')

    const page = await (await call(`${base}/checkpoints?limit=1`)).json<CheckpointsPage>()
    expect(page.checkpoints).toMatchObject([
      { runId, files: [{ path: 'a.txt', action: 'modified', additions: 2, deletions: 2 }] },
    ])
    const older = await call(`${base}/checkpoints?cursor=${page.nextCursor}`)
    expect(await older.json()).toMatchObject({ checkpoints: [{ by: 'owner' }], nextCursor: null })
    const { checkpointId } = page.checkpoints[0]!
    await session.command({ type: 'undo', checkpointId, path: 'a.txt', hunk: 0 })
    expect(await text()).toBe('one\ntwo\nthree\nfour\nFIVE\n')
    const diff = await call(`${base}/checkpoints/${checkpointId}/diff?path=a.txt`)
    expect(await diff.json<FileDiffView>()).toMatchObject({
      path: 'a.txt',
      hunks: [
        { index: 0, beforeLines: ['one\n'], afterLines: ['ONE\n'], state: 'undone' },
        { index: 1, beforeStart: 5, state: 'open' },
      ],
    })
    for (const [path, code] of [
      [`${base}/checkpoints/c999/diff?path=a.txt`, 'no_such_checkpoint'],
      [`${base}/checkpoints/${checkpointId}/diff?path=b.txt`, 'no_such_checkpoint'],
      [`${base}/checkpoints/${checkpointId}/diff?path=../b`, 'bad_request'],
      [`${base}/checkpoints/${checkpointId}/diff`, 'bad_request'],
    ] as const) {
      expect(await refusalOf(await call(path)), path).toMatchObject({ code })
    }
    await session.command({ type: 'restore', checkpointId })
    expect(await text()).toBe('one\ntwo\nthree\nfour\nfive\n')
    socket.close()
  })

  test('[FILE1] [DEC7] every run has the tools for files; those that only read, in every mode', async () => {
    const { tools } = await (
      await call('/api/tools')
    ).json<{ tools: { name: string; readOnly: boolean }[] }>()
    const flags = new Map(tools.map(({ name, readOnly }) => [name, readOnly]))
    for (const name of ['list_files', 'read_file', 'search_files']) {
      expect(flags.get(name), name).toBe(true)
    }
    for (const name of ['write_file', 'edit_file', 'move_file', 'delete_file', 'bash']) {
      expect(flags.get(name), name).toBe(false)
    }
  })
})

import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { fold } from '#protocol/reduce'
import { hot } from '#protocol/state'
import { FilesSession } from '../../testing/node/files-session.ts'
import { pathOf } from '../../testing/node/memory-workspace.ts'
import { OWNER } from '../../testing/node/session-harness.ts'
import { ToolFailure } from '../tools/tool.ts'
import { toBytes } from '../workspace/lines.ts'
import type { WorkspacePath } from '../workspace/workspace.ts'

const ONE = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n'
const TWO = 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n'

/** A person's file that an agent has changed at both ends, in one run. */
async function changed(): Promise<{ session: FilesSession; checkpointId: string }> {
  const session = await FilesSession.create()
  await session.personWrites('a.txt', ONE)
  await session.agentWrites({ 'a.txt': TWO, 'b.txt': 'new\n' })
  return { session, checkpointId: await session.endRun() }
}

const reviews = (session: FilesSession) =>
  session.harness.core.folded.changes.map(({ checkpointId, files }) => ({
    checkpointId,
    files: files.map(({ path, additions, deletions, undone, kept }) => ({
      path,
      counts: [additions, deletions],
      undone,
      kept,
    })),
  }))

/** A write that has passed its first check and is being hashed. */
function hold<T>(
  { harness }: FilesSession,
  write: () => Promise<T>,
): { go: () => void; outcome: Promise<T> } {
  const { store } = harness.core.files
  const hash = store.hash.bind(store)
  const gate = Promise.withResolvers<void>()
  store.hash = (content) => gate.promise.then(() => hash(content))
  const outcome = write()
  store.hash = hash
  return { go: gate.resolve, outcome }
}

const zipOf = (files: Record<string, string>, level: 0 | 1 = 0): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, toBytes(text)])), {
    level,
  })

function expectSame(session: FilesSession): void {
  const { harness } = session
  expect(hot(harness.core.folded)).toEqual(hot(harness.folded()))
}

describe('what a run writes', () => {
  test('[FILE3] is one checkpoint, however often it writes, with what it comes to', async () => {
    const session = await FilesSession.create()
    await session.personWrites('a.txt', ONE)
    await session.agentWrites({ 'a.txt': 'something else\n' })
    await session.agentWrites({ 'a.txt': TWO })
    await session.agentWrites({ 'b.txt': 'new\n' })
    await session.agentWrites({ 'c.txt': 'gone again\n' })
    await session.agentWrites({ 'c.txt': null })
    const checkpointId = await session.endRun()
    expect(reviews(session)).toEqual([
      {
        checkpointId,
        files: [
          { path: 'a.txt', counts: [2, 2], undone: [], kept: [] },
          { path: 'b.txt', counts: [1, 0], undone: [], kept: [] },
        ],
      },
    ])
    await session.agentWrites({ 'b.txt': 'newer\n' })
    expect(await session.endRun()).not.toBe(checkpointId)
    expect(reviews(session)).toHaveLength(2)
    expectSame(session)
  })

  test('[FILE4] is refused where a file is not what the tool has read', async () => {
    const session = await FilesSession.create()
    await session.personWrites('a.txt', ONE)
    const workspace = await session.agent()
    const path = pathOf('a.txt')
    const expected = workspace.stat(path)!.hash
    const bytes = toBytes('from an older one\n')
    const held = hold(session, () => workspace.apply([{ path, bytes, expected }]))
    await session.personWrites('a.txt', 'mine\n')
    held.go()
    await expect(held.outcome).rejects.toThrow('a.txt is not what it was any more')
    await expect(workspace.apply([{ path, bytes, expected: null }])).rejects.toThrow(
      'a.txt exists already',
    )
    expect(session.files()).toEqual({ 'a.txt': 'mine\n' })
    expect(session.fileEvents()).toHaveLength(2)
  })

  test('[CAN2] is not written any more when the run is over, not even what was under way', async () => {
    const session = await FilesSession.create()
    const workspace = await session.agent()
    const late = workspace.apply([{ path: pathOf('late.txt'), bytes: toBytes('late') }])
    session.harness.command({ type: 'cancel' })
    await expect(late).rejects.toMatchObject({ code: 'tool_interrupted' })
    expect(session.files()).toEqual({})
    expect(session.fileEvents()).toEqual([])
  })

  test('[SAF2] a clash or a limit refuses all of it, and stores nothing', async () => {
    const session = await FilesSession.create()
    await session.agentWrites({ 'src/a.ts': 'a' })
    const stored = session.harness.core.files.store.storedBytes()
    await expect(session.agentWrites({ 'b.ts': 'b', src: 'x' })).rejects.toThrow('is a folder')
    await expect(session.agentWrites({ 'SRC/b.ts': 'b' })).rejects.toThrow('upper and lower case')
    const large = 'x'.repeat(8 * 1024 * 1024 + 1)
    await expect(session.agentWrites({ 'b.ts': 'b', 'c.ts': large })).rejects.toThrow('8 MiB')
    expect(session.files()).toEqual({ 'src/a.ts': 'a' })
    expect(session.harness.core.files.store.storedBytes()).toBe(stored)
  })

  test('[SAF2] [FILE1] a list says how much all versions take, before there is no room', async () => {
    const session = await FilesSession.create()
    const list = () => session.harness.core.personFiles.list(OWNER)
    expect(list()).toMatchObject({ value: { bytes: 0, stored: 0 } })
    await session.personWrites('a.txt', 'x'.repeat(1000))
    await session.agentWrites({ 'a.txt': 'y'.repeat(500) })
    const storedLimit = 1024 * 1024 * 1024
    expect(list()).toMatchObject({ value: { bytes: 500, stored: 1500, storedLimit } })
  })

  test('[SAF2] [FILE1] a path that no door takes is not written, whoever asks', async () => {
    const session = await FilesSession.create()
    const workspace = await session.agent()
    const bytes = toBytes('x')
    for (const raw of ['a/'.repeat(40) + 'b', '../b', 'cafe\u0301', 'a//b', 'CON']) {
      const path = raw as WorkspacePath
      await expect(workspace.apply([{ path, bytes }]), raw).rejects.toBeInstanceOf(ToolFailure)
    }
    expect(session.files()).toEqual({})
    expect(session.harness.core.files.store.storedBytes()).toBe(0)
  })

  test('[FILE3] many files are many events, and a review of them stays small', async () => {
    const session = await FilesSession.create()
    const many = Object.fromEntries(
      Array.from({ length: 1200 }, (_, i) => [`${'folder/'.repeat(30)}${i}.txt`, `${i}\n`]),
    )
    await session.agentWrites(many)
    const checkpointId = await session.endRun()
    const events = session.fileEvents()
    expect(events.length).toBeGreaterThan(1)
    for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(512 * 1024)
    const [review] = session.harness.core.folded.changes
    expect(review).toMatchObject({ checkpointId, truncated: true })
    expect(review!.files).toHaveLength(500)
    expect(await session.command({ type: 'undo', checkpointId })).toMatchObject({ ok: true })
    expect(session.files()).toEqual({})
    expect(session.harness.core.folded.changes).toEqual([])
  })
})

describe('undo', () => {
  test('[FILE3] [FILE4] takes back one change, one file or all of them', async () => {
    const { session, checkpointId } = await changed()
    await session.command({ type: 'undo', checkpointId, path: 'a.txt', hunk: 1 })
    expect(session.read('a.txt')).toBe(TWO.replace('SEVEN', 'seven'))
    expect(reviews(session)[0]!.files[0]).toMatchObject({ path: 'a.txt', undone: [1] })
    await session.command({ type: 'undo', checkpointId, path: 'a.txt' })
    expect(session.read('a.txt')).toBe(ONE)
    expect(reviews(session)[0]!.files.map(({ path }) => path)).toEqual(['b.txt'])
    await session.command({ type: 'undo', checkpointId })
    expect(session.files()).toEqual({ 'a.txt': ONE })
    expect(reviews(session)).toEqual([])
    expectSame(session)
  })

  test('[FILE4] can be undone, and then it is to be reviewed again', async () => {
    const { session, checkpointId } = await changed()
    await session.command({ type: 'undo', checkpointId })
    await session.command({ type: 'redo', checkpointId, path: 'a.txt', hunk: 0 })
    expect(session.read('a.txt')).toBe(TWO.replace('SEVEN', 'seven'))
    expect(reviews(session)).toEqual([
      { checkpointId, files: [{ path: 'a.txt', counts: [2, 2], undone: [1], kept: [] }] },
    ])
    await session.command({ type: 'redo', checkpointId })
    expect(session.files()).toEqual({ 'a.txt': TWO, 'b.txt': 'new\n' })
    expect(
      reviews(session)[0]!
        .files.map(({ path }) => path)
        .sort(),
    ).toEqual(['a.txt', 'b.txt'])
    expectSame(session)
  })

  test('[FILE3] what was kept stays, unless it is named', async () => {
    const { session, checkpointId } = await changed()
    await session.command({ type: 'keep', checkpointId, path: 'a.txt', hunk: 0 })
    await session.command({ type: 'undo', checkpointId })
    expect(session.files()).toEqual({ 'a.txt': TWO.replace('SEVEN', 'seven') })
    expect(reviews(session)).toEqual([])
    const again = await session.command({ type: 'undo', checkpointId })
    expect(again).toMatchObject({ ok: false, rejection: { code: 'file_conflict' } })
    await session.command({ type: 'undo', checkpointId, path: 'a.txt', hunk: 0 })
    expect(session.read('a.txt')).toBe(ONE)
  })

  test('[FILE4] writes nothing over a file that is not what the agent left, and shows three versions', async () => {
    const { session, checkpointId } = await changed()
    await session.personWrites('a.txt', 'my own work\n')
    const undo = await session.command({ type: 'undo', checkpointId })
    expect(undo).toMatchObject({ ok: true })
    expect(session.files()).toEqual({ 'a.txt': 'my own work\n' })
    const { conflict } = session.harness.core.folded.changes[0]!.files[0]!
    expect(
      [conflict!.before, conflict!.agent, conflict!.current].map((hash) =>
        session.read('a.txt', hash!),
      ),
    ).toEqual([ONE, TWO, 'my own work\n'])
    const results = session.fileEvents().filter(({ type }) => type === 'file_change_result')
    expect(results).toMatchObject([
      { path: 'a.txt', ok: false, conflict },
      { path: 'b.txt', ok: true },
    ])
    // As the agent left it, it can be undone again.
    await session.personWrites('a.txt', TWO)
    await session.command({ type: 'undo', checkpointId, path: 'a.txt' })
    expect(session.read('a.txt')).toBe(ONE)
    expect(reviews(session)).toEqual([])
  })

  test('[FILE4] of a move puts the file back, also where only its case has changed', async () => {
    for (const [from, to] of [
      ['notes.txt', 'docs/notes.txt'],
      ['notes.txt', 'Notes.txt'],
    ] as const) {
      const session = await FilesSession.create()
      await session.personWrites(from, ONE)
      await session.agentMoves(from, to)
      const checkpointId = await session.endRun()
      expect(session.files()).toEqual({ [to]: ONE })
      await session.command({ type: 'undo', checkpointId, path: to })
      expect(session.files()).toEqual({ [from]: ONE })
      await session.command({ type: 'redo', checkpointId, path: to })
      expect(session.files()).toEqual({ [to]: ONE })
      await session.command({ type: 'undo', checkpointId })
      expect(session.files()).toEqual({ [from]: ONE })
      expectSame(session)
    }
  })

  test('[FILE4] of a move leaves the file where it is if its old place is taken', async () => {
    const session = await FilesSession.create()
    await session.personWrites('a.txt', ONE)
    await session.agentMoves('a.txt', 'b.txt')
    const checkpointId = await session.endRun()
    await session.personWrites('a.txt', 'another\n')
    await session.command({ type: 'undo', checkpointId })
    expect(session.files()).toEqual({ 'a.txt': 'another\n', 'b.txt': ONE })
    const results = session.fileEvents().filter(({ type }) => type === 'file_change_result')
    expect(results).toMatchObject([
      { path: 'a.txt', ok: false, conflict: { agent: null } },
      { path: 'b.txt', ok: false, left: 1, problem: expect.stringContaining('a.txt') },
    ])
  })

  test('[FILE4] of a file that has become a folder is done together, or refused as a whole', async () => {
    const session = await FilesSession.create()
    await session.personWrites('x', ONE)
    await session.agentWrites({ x: null, 'x/y.txt': 'deep\n' })
    const checkpointId = await session.endRun()
    const alone = await session.command({ type: 'undo', checkpointId, path: 'x' })
    expect(alone).toMatchObject({
      ok: false,
      rejection: { code: 'file_conflict', message: expect.stringContaining('folder') },
    })
    expect(session.files()).toEqual({ 'x/y.txt': 'deep\n' })
    await session.command({ type: 'undo', checkpointId })
    expect(session.files()).toEqual({ x: ONE })
    await session.command({ type: 'redo', checkpointId })
    expect(session.files()).toEqual({ 'x/y.txt': 'deep\n' })
  })

  test('[SAF2] of more than can be held at once is refused, file by file it works', async () => {
    const session = await FilesSession.create()
    const large = 'x'.repeat(8 * 1024 * 1024)
    const paths = Array.from({ length: 9 }, (_, i) => `${i}.txt`)
    await session.agentWrites(Object.fromEntries(paths.map((path) => [path, large])))
    const checkpointId = await session.endRun()
    expect(await session.command({ type: 'undo', checkpointId })).toMatchObject({
      ok: false,
      rejection: { code: 'too_large' },
    })
    expect(await session.command({ type: 'undo', checkpointId, path: '0.txt' })).toMatchObject({
      ok: true,
    })
    expect(Object.keys(session.files())).toHaveLength(8)
  })

  test('[LOG5] the same command again answers the same and has no second effect', async () => {
    const { session, checkpointId } = await changed()
    const undo = { type: 'undo', id: 'u1', checkpointId } as const
    const first = await session.command(undo)
    await session.command({ type: 'redo', checkpointId })
    expect(await session.command(undo)).toEqual(first)
    expect(session.read('a.txt')).toBe(TWO)
  })

  test('[SAF2] what is not there is said so, and changes nothing', async () => {
    const { session, checkpointId } = await changed()
    const before = session.harness.events().length
    for (const [command, code] of [
      [{ type: 'undo', checkpointId: 'c999' }, 'no_such_checkpoint'],
      [{ type: 'keep', checkpointId, path: 'z.txt' }, 'no_such_checkpoint'],
      [{ type: 'undo', checkpointId, path: 'a.txt', hunk: 7 }, 'file_conflict'],
      [{ type: 'undo', checkpointId, hunk: 0 }, 'bad_request'],
      [{ type: 'redo', checkpointId }, 'file_conflict'],
      [{ type: 'restore', checkpointId: 'c999' }, 'no_such_checkpoint'],
    ] as const) {
      expect(await session.command(command), code).toMatchObject({ ok: false, rejection: { code } })
    }
    expect(session.harness.events()).toHaveLength(before)
  })
})

describe('restore', () => {
  test('[FILE4] makes every file as it was when a checkpoint began, and can itself be undone', async () => {
    const { session, checkpointId } = await changed()
    await session.personWrites('c.txt', 'later\n')
    const now = session.files()
    await session.command({ type: 'restore', checkpointId })
    expect(session.files()).toEqual({ 'a.txt': ONE })
    const restored = session.lastCheckpoint()
    await session.command({ type: 'restore', checkpointId: restored })
    expect(session.files()).toEqual(now)
    const again = await session.command({ type: 'restore', checkpointId: session.lastCheckpoint() })
    expect(again.ok).toBe(true)
    expect(session.files()).toEqual({ 'a.txt': ONE })
  })

  test('[FILE1] compares no more contents than it needs to count lines, and reads no others', async () => {
    const { session, checkpointId } = await changed()
    await session.personWrites('large.bin', 'x'.repeat(4 * 1024 * 1024))
    await session.personWrites('other.txt', 'y'.repeat(4 * 1024 * 1024))
    const { store } = session.harness.core.files
    const read: string[] = []
    const readBlob = store.readBlob.bind(store)
    store.readBlob = (hash) => {
      read.push(hash)
      return readBlob(hash)
    }
    await session.command({ type: 'restore', checkpointId })
    const other = store.stat(pathOf('other.txt'))
    expect(other).toBe(null)
    // Compared to count lines, in the order of their paths, until there was enough of it.
    expect(read).toHaveLength(4)
    expect(session.fileEvents().at(-1)).toMatchObject({
      files: [
        { path: 'a.txt', additions: 2, deletions: 2, size: ONE.length },
        { path: 'b.txt', deletions: 1 },
        { path: 'large.bin', deletions: 1 },
        { path: 'other.txt', deletions: 0 },
      ],
    })
  })
})

describe('a person', () => {
  test('[FILE5] writes, deletes and moves, as events that name them, and has nothing to review', async () => {
    const session = await FilesSession.create()
    const { personFiles } = session.harness.core
    const written = await session.personWrites('a.txt', ONE)
    expect(written).toMatchObject({
      ok: true,
      value: { file: { path: 'a.txt', size: 34 }, seq: 2 },
    })
    expect(await session.personWrites('a.txt', ONE)).toMatchObject({ ok: true, value: { seq: 2 } })
    await personFiles.move(OWNER, { from: 'a.txt', to: 'b.txt' })
    expect(session.files()).toEqual({ 'b.txt': ONE })
    expect(await session.personWrites('b.txt', null)).toMatchObject({ value: { file: null } })
    expect(session.fileEvents().map(({ type, by }) => [type, by])).toEqual(
      Array.from({ length: 3 }, () => ['files_changed', OWNER]),
    )
    expect(session.harness.core.folded.changes).toEqual([])
    // Taken back like anything else.
    await session.command({ type: 'undo', checkpointId: session.lastCheckpoint() })
    expect(session.files()).toEqual({ 'b.txt': ONE })
    await session.command({ type: 'redo', checkpointId: session.lastCheckpoint() })
    expect(session.files()).toEqual({})
    expect(session.harness.core.folded.changes).toEqual([])
    expectSame(session)
  })

  test('[SES2] [FILE1] a session with a file is not an empty one, and keeps it', async () => {
    const session = await FilesSession.create()
    const { core } = session.harness
    expect(core.views.summary(OWNER)).toMatchObject({ value: { empty: true } })
    await session.personWrites('a.txt', ONE)
    expect(core.views.summary(OWNER)).toMatchObject({ value: { empty: false } })
    expectSame(session)
  })

  test('[FILE4] may write while the agent does: undo goes back to them, not before them', async () => {
    const session = await FilesSession.create()
    await session.agentWrites({ 'a.txt': 'agent 1\n' })
    await session.personWrites('a.txt', 'person\n')
    await session.agentWrites({ 'a.txt': 'agent 2\n' })
    const checkpointId = await session.endRun()
    await session.command({ type: 'undo', checkpointId })
    expect(session.files()).toEqual({ 'a.txt': 'person\n' })
  })

  test('[SAF1] somebody else sees and writes nothing', async () => {
    const { session, checkpointId } = await changed()
    const { personFiles } = session.harness.core
    const missing = { ok: false, rejection: { code: 'not_found', message: 'no such session' } }
    const bytes = toBytes('x')
    expect(personFiles.list('eve')).toEqual(missing)
    expect(personFiles.read('eve', 'a.txt')).toEqual(missing)
    expect(personFiles.download('eve', '')).toEqual(missing)
    expect(personFiles.checkpoints('eve', { limit: 9 })).toEqual(missing)
    expect(personFiles.diff('eve', checkpointId, 'a.txt')).toEqual(missing)
    expect(await personFiles.write('eve', { path: '../x', bytes })).toEqual(missing)
    expect(await personFiles.move('eve', { from: 'a.txt', to: 'c.txt' })).toEqual(missing)
    expect(await personFiles.upload('eve', { into: '', bytes })).toEqual(missing)
    expect(session.files()).toEqual({ 'a.txt': TWO, 'b.txt': 'new\n' })
  })

  test('[SAF2] [FILE1] an archive whose last file is damaged stores nothing', async () => {
    const session = await FilesSession.create()
    const { core } = session.harness
    const bytes = zipOf({ 'a.txt': 'first', 'b.txt': 'second', 'c.txt': 'third' })
    const damaged = bytes.slice()
    damaged[new TextDecoder('latin1').decode(bytes).indexOf('third')]! ^= 1
    const upload = (archive: Uint8Array) =>
      core.personFiles.upload(OWNER, { into: '', bytes: archive })
    expect(await upload(damaged)).toMatchObject({
      rejection: { code: 'bad_request', message: expect.stringContaining('"c.txt"') },
    })
    expect([session.files(), core.files.store.storedBytes()]).toEqual([{}, 0])
    expect(await upload(bytes)).toMatchObject({ ok: true, value: { files: 3 } })
    expect(core.files.store.storedBytes()).toBe(16)
  })

  test('[FILE1] an archive that is more than can be held comes in as it is', async () => {
    const session = await FilesSession.create()
    const { core } = session.harness
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(7 * 1024 * 1024))
    const files: Record<string, string> = { a: a!, b: b!, c: c!, 'd.txt': 'small' }
    const bytes = zipOf(files, 1)
    expect(await core.personFiles.upload(OWNER, { into: '', bytes })).toMatchObject({ ok: true })
    expect(Object.keys(files).filter((name) => session.read(name) !== files[name])).toEqual([])
  })

  test('[SAF2] [FILE4] what is refused because of a write meanwhile stores nothing', async () => {
    const session = await FilesSession.create()
    const { core } = session.harness
    const write = (path: string, text: string) =>
      core.personFiles.write(OWNER, { path, bytes: toBytes(text), only: 'absent' })
    const bytes = zipOf({ 'x.txt': 'an archive', 'a.txt/b': 'with a clash' })
    const single = hold(session, () => write('a.txt', 'second one'))
    const archive = hold(session, () => core.personFiles.upload(OWNER, { into: '', bytes }))
    expect(await write('a.txt', 'first')).toMatchObject({ ok: true })
    single.go()
    archive.go()
    expect(await single.outcome).toMatchObject({
      rejection: { code: 'file_conflict', isStale: true },
    })
    expect(await archive.outcome).toMatchObject({ rejection: { code: 'file_conflict' } })
    expect([session.files(), core.files.store.storedBytes()]).toEqual([{ 'a.txt': 'first' }, 5])
  })

  test('[FILE4] older contents are read by path and hash, and only those of that path', async () => {
    const { session } = await changed()
    const [first] = session.fileEvents()
    const hash = first?.type === 'files_changed' ? first.files[0]!.after! : ''
    expect(session.read('a.txt', hash)).toBe(ONE)
    expect(session.read('b.txt', hash)).toBe(null)
    expect(session.read('a.txt', hash.replace(/^./, 'z'))).toBe(null)
  })
})

describe('checkpoints', () => {
  test('[FILE3] are listed newest first, in pages, with what was said of them', async () => {
    const { session, checkpointId } = await changed()
    await session.command({ type: 'undo', checkpointId, path: 'a.txt', hunk: 0 })
    await session.command({ type: 'keep', checkpointId, path: 'b.txt' })
    const { personFiles } = session.harness.core
    const page = personFiles.checkpoints(OWNER, { limit: 1 })
    expect(page).toMatchObject({
      ok: true,
      value: {
        checkpoints: [
          {
            checkpointId,
            runId: expect.any(String),
            files: [
              { path: 'a.txt', action: 'modified', additions: 2, undone: [0], kept: [] },
              { path: 'b.txt', action: 'created', additions: 1, undone: [], kept: [0] },
            ],
          },
        ],
      },
    })
    const cursor = page.ok ? Number(page.value.nextCursor) : 0
    const rest = personFiles.checkpoints(OWNER, { limit: 1, before: cursor })
    expect(rest).toMatchObject({
      value: { checkpoints: [{ by: OWNER, files: [{ path: 'a.txt' }] }], nextCursor: null },
    })
  })

  test('[FILE3] show a difference hunk by hunk, bounded', async () => {
    const { session, checkpointId } = await changed()
    await session.command({ type: 'undo', checkpointId, path: 'a.txt', hunk: 1 })
    const { personFiles } = session.harness.core
    expect(personFiles.diff(OWNER, checkpointId, 'a.txt')).toMatchObject({
      ok: true,
      value: {
        unit: 'lines',
        binary: false,
        truncated: false,
        hunks: [
          {
            index: 0,
            beforeStart: 1,
            beforeLines: ['one\n'],
            afterLines: ['ONE\n'],
            state: 'open',
          },
          { index: 1, beforeStart: 7, beforeLines: ['seven\n'], state: 'undone' },
        ],
      },
    })
    await session.agentWrites({ 'long.txt': `${'x'.repeat(99)}\n`.repeat(20_000) })
    const long = personFiles.diff(OWNER, await session.endRun(), 'long.txt')
    expect(long).toMatchObject({ ok: true, value: { unit: 'file', truncated: true } })
    expect(JSON.stringify(long).length).toBeLessThan(600_000)
  })
})

describe('a crash', () => {
  test.each(['before_commit', 'after_commit'] as const)(
    '[FILE1] [LOG1] %s leaves log and files of one mind',
    async (crashAt) => {
      const { session, checkpointId } = await changed()
      const { harness } = session
      const isDone = crashAt === 'after_commit'
      harness.database.crashAt = crashAt
      await session.personWrites('a.txt', 'mine\n').catch(() => null)
      harness.wake()
      expect(session.read('a.txt')).toBe(isDone ? 'mine\n' : TWO)
      await session.personWrites('a.txt', TWO)
      harness.database.crashAt = crashAt
      const undo = { type: 'undo', id: 'u1', checkpointId } as const
      await session.command(undo).catch(() => null)
      harness.wake()
      expect(session.files()).toEqual(
        isDone ? { 'a.txt': ONE } : { 'a.txt': TWO, 'b.txt': 'new\n' },
      )
      // Sent again, as a client would: done once.
      expect(await session.command(undo)).toMatchObject({ ok: true })
      expect(session.files()).toEqual({ 'a.txt': ONE })
      expectSame(session)
    },
  )

  test('[FILE3] [LOG2] the review is the same live, after a reload and after a crash', async () => {
    const { session, checkpointId } = await changed()
    const watched = session.watch()
    await session.command({ type: 'undo', checkpointId, path: 'a.txt', hunk: 0 })
    await session.agentWrites({ 'a.txt': 'again\n', 'd.txt': 'd\n' })
    await session.endRun()
    const live = hot(session.harness.core.folded)
    expect(hot(fold(watched()))).toEqual(live)
    session.harness.crash()
    expect(hot(session.harness.core.folded).changes).toEqual(live.changes)
    const [snapshot] = session.harness.connect(null).frames
    expect(snapshot).toMatchObject({ type: 'snapshot' })
    expect(live.changes.map((review) => review.checkpointId)).toContain(checkpointId)
  })
})

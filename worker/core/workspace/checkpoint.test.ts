import { describe, expect, test } from 'vitest'
import { MemorySql } from '../../testing/node/memory-sql.ts'
import { pathOf } from '../../testing/node/memory-workspace.ts'
import { RandomSource } from '../../testing/random-source.ts'
import {
  actionOf,
  applyPlan,
  expectedContent,
  mergeWrites,
  openHunks,
  planKeep,
  planRedo,
  planUndo,
  type Checkpoint,
  type CheckpointFile,
  type Plan,
} from './checkpoint.ts'
import { diffContents, type FileDiff } from './diff.ts'
import { FileStore } from './file-store.ts'
import { splitLines, toBytes, toText } from './lines.ts'

/** One file, an agent and a person, over a real store. */
class Desk {
  readonly store = new FileStore(new MemorySql())
  readonly path = pathOf('notes.md')
  files: Checkpoint = new Map()

  get current(): string | null {
    return this.store.stat(this.path)?.hash ?? null
  }
  get record(): CheckpointFile | undefined {
    return this.files.get(this.path)
  }
  get text(): string | null {
    return this.textOf(this.current)
  }

  textOf(hash: string | null): string | null {
    return hash === null ? null : toText(this.store.readBlob(hash)!)
  }

  async write(text: string | null): Promise<string | null> {
    const bytes = text === null ? null : toBytes(text)
    const hash = bytes === null ? null : await this.store.putBlob(bytes)
    this.store.setFiles([{ path: this.path, hash, size: bytes?.length ?? 0, at: 0 }])
    return hash
  }

  async agentWrites(text: string | null): Promise<void> {
    const overwritten = this.current
    const written = await this.write(text)
    if (written === overwritten) return
    this.files = mergeWrites(this.files, [{ path: this.path, overwritten, written }])
  }

  diff(record: CheckpointFile): FileDiff {
    const read = (hash: string | null) => (hash === null ? null : this.store.readBlob(hash))
    return diffContents(read(record.before), read(record.after))
  }

  async answer(action: 'undo' | 'redo' | 'keep', hunk?: number): Promise<Plan> {
    const record = this.record!
    const diff = this.diff(record)
    const plan =
      action === 'keep'
        ? planKeep(record, diff, hunk)
        : (action === 'undo' ? planUndo : planRedo)(record, diff, this.current, hunk)
    if (plan.kind !== 'write' && plan.kind !== 'mark') return plan
    const hash =
      plan.kind === 'write'
        ? await this.write(plan.content === null ? null : toText(plan.content))
        : null
    this.files = new Map(this.files).set(this.path, applyPlan(record, plan, hash))
    return plan
  }
}

async function deskWith(before: string | null, ...agent: (string | null)[]): Promise<Desk> {
  const desk = new Desk()
  await desk.write(before)
  for (const text of agent) await desk.agentWrites(text)
  return desk
}

const BEFORE = 'a\nb\nc\nd\ne\n'
const AFTER = 'A\nb\nC\nd\nE\n'

describe('undo', () => {
  test('[FILE3] takes back one hunk, then another, in any order, under their first numbers', async () => {
    const desk = await deskWith(BEFORE, AFTER)
    expect(await desk.answer('undo', 1)).toMatchObject({ kind: 'write', left: 2 })
    expect(desk.text).toBe('A\nb\nc\nd\nE\n')
    expect(await desk.answer('undo', 0)).toMatchObject({ kind: 'write', left: 1, undone: [0, 1] })
    expect(desk.text).toBe('a\nb\nc\nd\nE\n')
    expect(await desk.answer('redo', 1)).toMatchObject({ kind: 'write', left: 2, undone: [0] })
    expect(desk.text).toBe('a\nb\nC\nd\nE\n')
  })

  test('[FILE4] of the whole file can be undone: redo is exactly what the agent wrote', async () => {
    const desk = await deskWith(BEFORE, AFTER)
    expect(await desk.answer('undo')).toMatchObject({ kind: 'write', left: 0 })
    expect(desk.text).toBe(BEFORE)
    expect(await desk.answer('undo')).toMatchObject({ kind: 'nothing' })
    expect(await desk.answer('redo')).toMatchObject({ kind: 'write', left: 3 })
    expect(desk.text).toBe(AFTER)
    expect(await desk.answer('redo')).toMatchObject({ kind: 'nothing' })
  })

  test('[FILE4] of what a person has changed is a conflict with three versions, and writes nothing', async () => {
    const desk = await deskWith(BEFORE, AFTER)
    const { before, after } = desk.record!
    const current = await desk.write('mine\n')
    const conflict = { kind: 'conflict', conflict: { before, agent: after, current } }
    expect(await desk.answer('undo')).toEqual(conflict)
    expect(await desk.answer('undo', 0)).toEqual(conflict)
    expect(desk.text).toBe('mine\n')
    expect(desk.record).toMatchObject({ undone: [] })
  })

  test('[FILE4] works again once the file is what the agent wrote', async () => {
    const desk = await deskWith(BEFORE, AFTER)
    await desk.write('mine\n')
    await desk.write(AFTER)
    expect(await desk.answer('undo')).toMatchObject({ kind: 'write' })
    expect(desk.text).toBe(BEFORE)
  })

  test('[FILE4] redo does not overwrite what a person wrote after the undo', async () => {
    const desk = await deskWith(BEFORE, AFTER)
    await desk.answer('undo')
    await desk.write('mine\n')
    expect(await desk.answer('redo')).toMatchObject({ kind: 'conflict' })
    expect(desk.text).toBe('mine\n')
  })

  test('[FILE4] of a creation deletes, only where nobody has written since', async () => {
    const desk = await deskWith(null, 'new\n')
    expect(await desk.answer('undo')).toMatchObject({ kind: 'write', content: null })
    expect(desk.text).toBeNull()
    await desk.answer('redo')
    expect(desk.text).toBe('new\n')
    await desk.write('mine\n')
    expect(await desk.answer('undo')).toMatchObject({ kind: 'conflict' })
    expect(desk.text).toBe('mine\n')
  })

  test('[FILE4] of a deletion restores, only where the place is still empty', async () => {
    const desk = await deskWith('old\n', null)
    await desk.answer('undo')
    expect(desk.text).toBe('old\n')
    await desk.answer('redo')
    await desk.write('mine\n')
    expect(await desk.answer('undo')).toMatchObject({ kind: 'conflict' })
    expect(desk.text).toBe('mine\n')
  })

  test('[FILE4] an empty file and none are two things', async () => {
    const desk = await deskWith('', null)
    await desk.write('')
    expect(await desk.answer('undo')).toMatchObject({ kind: 'conflict' })
    const other = await deskWith(null, '')
    await other.answer('undo')
    expect(other.text).toBeNull()
  })

  test('[FILE3] of a file leaves what was kept; a kept hunk goes back when it is named', async () => {
    const desk = await deskWith(BEFORE, AFTER)
    expect(await desk.answer('keep', 1)).toMatchObject({ kind: 'mark', left: 2, kept: [1] })
    expect(await desk.answer('undo')).toMatchObject({ kind: 'write', left: 0, undone: [0, 2] })
    expect(desk.text).toBe('a\nb\nC\nd\ne\n')
    expect(await desk.answer('undo', 1)).toMatchObject({ kind: 'write', kept: [] })
    expect(desk.text).toBe(BEFORE)
  })

  test('[FILE3] keep writes nothing, so it cannot conflict; what is undone cannot be kept', async () => {
    const desk = await deskWith(BEFORE, AFTER)
    await desk.answer('undo', 0)
    await desk.write('mine\n')
    expect(await desk.answer('keep', 0)).toMatchObject({ kind: 'nothing' })
    expect(await desk.answer('keep')).toMatchObject({ kind: 'mark', left: 0, kept: [1, 2] })
    expect(desk.text).toBe('mine\n')
  })

  test.each([3, -1, 0.5, Number.NaN])('[SAF2] there is no hunk %j', async (hunk) => {
    const desk = await deskWith(BEFORE, AFTER)
    for (const action of ['undo', 'redo', 'keep'] as const) {
      expect(await desk.answer(action, hunk)).toEqual({
        kind: 'nothing',
        problem: 'There is no such change; this file has 3, counted from 0.',
      })
    }
  })
})

describe('what an agent writes again', () => {
  test('[FILE3] is one change from the first before to the last after, and to be looked at anew', async () => {
    const desk = await deskWith(BEFORE, AFTER)
    await desk.answer('undo', 0)
    await desk.answer('keep', 1)
    await desk.agentWrites('x\n')
    expect(desk.record).toMatchObject({ undone: [], kept: [] })
    await desk.answer('undo')
    expect(desk.text).toBe(BEFORE)
  })

  test('[FILE4] over a person does not make undo go back behind that person', async () => {
    const desk = await deskWith(BEFORE, AFTER)
    await desk.write('mine\n')
    await desk.agentWrites('mine\nand more\n')
    await desk.answer('undo')
    expect(desk.text).toBe('mine\n')
  })

  test('[FILE3] and takes back is no change', async () => {
    expect((await deskWith(null, 'a', null)).files.size).toBe(0)
    expect((await deskWith('a', 'b', 'a')).files.size).toBe(0)
    expect((await deskWith('a', null, 'a')).files.size).toBe(0)
    const desk = await deskWith(null, 'a', 'b')
    expect(actionOf(desk.record!, desk.files)).toBe('created')
  })
})

const write = (
  path: string,
  overwritten: string | null,
  written: string | null,
  from?: string,
) => ({
  path,
  overwritten,
  written,
  ...(from !== undefined && { movedFrom: from }),
})

const actions = (files: Checkpoint): Record<string, string> =>
  Object.fromEntries([...files.values()].map((file) => [file.path, actionOf(file, files)]))

describe('[FILE3] moves', () => {
  test('a file that was moved twice was moved from where it was at first', () => {
    let files = mergeWrites(new Map(), [write('a', '1', null), write('b', null, '1', 'a')])
    expect(actions(files)).toEqual({ a: 'deleted', b: 'renamed' })
    files = mergeWrites(files, [write('b', '1', null), write('c', null, '1', 'b')])
    expect(actions(files)).toEqual({ a: 'deleted', c: 'renamed' })
    expect(files.get('c')).toMatchObject({ movedFrom: 'a', before: null, after: '1' })
    files = mergeWrites(files, [write('c', '1', '2')])
    expect(actions(files)).toEqual({ a: 'deleted', c: 'renamed' })
    files = mergeWrites(files, [write('a', null, '3')])
    expect(actions(files)).toEqual({ a: 'modified', c: 'created' })
  })

  test('there and back is no change', () => {
    const there = mergeWrites(new Map(), [write('a', '1', null), write('b', null, '1', 'a')])
    expect(mergeWrites(there, [write('b', '1', null), write('a', null, '1', 'b')]).size).toBe(0)
  })
})

describe('[FILE4] whatever agent and person do, nothing of either is lost', () => {
  const LINES = ['a\n', 'b\n', 'c\r\n', '日本\n', '\n', 'end', '\r']
  const textOf = (random: RandomSource, from: string | null): string | null => {
    if (random.chance(0.1)) return null
    const lines = splitLines(from ?? '')
    for (let i = 1 + random.below(4); i > 0; i--) {
      const added = Array.from({ length: random.below(3) }, () => random.pick(LINES))
      lines.splice(random.below(lines.length + 1), random.below(3), ...added)
    }
    return lines.join('')
  }

  async function step(desk: Desk, random: RandomSource, seen: Map<string, string>): Promise<void> {
    const kind = random.weighted({ agent: 3, person: 2, undo: 4, redo: 3, keep: 1, restore: 1 })
    if (kind === 'agent') return desk.agentWrites(textOf(random, desk.text))
    if (kind === 'person') return void (await desk.write(textOf(random, desk.text)))
    // A person goes back to a version that they have seen: that is a write like any other.
    if (kind === 'restore') {
      return void (seen.size > 0 && (await desk.write(random.pick([...seen.values()]))))
    }
    const { record } = desk
    if (record === undefined) return
    const diff = desk.diff(record)
    const hunk = random.chance(0.6) ? random.below(diff.hunks.length) : undefined
    const before = desk.text
    const isExpected = desk.current === record.expected
    const plan = await desk.answer(kind, hunk)
    if (plan.kind !== 'write') {
      expect(desk.text).toBe(before)
      if (plan.kind === 'conflict') expect(isExpected).toBe(false)
      return
    }
    // Only what the agent, or undo itself, had left there was overwritten…
    expect(isExpected).toBe(true)
    if (kind === 'redo') return
    // …and taking it back gives exactly that.
    const written = desk.files
    for (const index of plan.undone.filter((one) => !record.undone.includes(one))) {
      await desk.answer('redo', index)
    }
    expect(desk.text).toBe(before)
    await desk.write(plan.content === null ? null : toText(plan.content))
    desk.files = written
  }

  test.each(Array.from({ length: 150 }, (_, seed) => seed))('seed %i', async (seed) => {
    const random = new RandomSource(seed)
    const desk = new Desk()
    const seen = new Map<string, string>()
    await desk.write(textOf(random, 'one\ntwo\nthree\n'))
    for (let i = 0; i < 40; i++) {
      if (desk.current !== null) seen.set(desk.current, desk.text!)
      await step(desk, random, seen)
      const { record } = desk
      if (record === undefined) continue
      const expected = expectedContent(record, desk.diff(record))
      expect(expected === null ? null : toText(expected)).toBe(desk.textOf(record.expected))
      const marks = [...record.undone, ...record.kept, ...openHunks(record, desk.diff(record))]
      expect(marks.sort((a, b) => a - b)).toEqual([...desk.diff(record).hunks.keys()])
    }
    for (const [hash, text] of seen) expect(desk.textOf(hash)).toBe(text)
  })
})

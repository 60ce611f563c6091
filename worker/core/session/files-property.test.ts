import { expect, test } from 'vitest'
import { hot } from '#protocol/state'
import { FilesSession } from '../../testing/node/files-session.ts'
import { pathOf } from '../../testing/node/memory-workspace.ts'
import { Crash } from '../../testing/node/memory-sql.ts'
import { OWNER } from '../../testing/node/session-harness.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { ToolFailure } from '../tools/tool.ts'
import { hashOf } from '../workspace/file-store.ts'
import { toBytes } from '../workspace/lines.ts'
import type { FileEvent } from './fold-files.ts'

const LIVES = 40
const STEPS = 60
const FIRST_SEED = 20261118
/** Few, so that they meet; one that is a file and a folder, and two that differ in case. */
const PATHS = ['a.txt', 'b.txt', 'dir', 'dir/c.txt', 'dir/sub/d.txt', 'A.txt']
/** Folders that a shell moves about: two of them meet the paths above. */
const FOLDERS = ['dir', 'dir/sub', 'other', 'other/deep']

type Tree = Map<string, string>

/** The tree by the log alone, written here once more, as plainly as can be. */
function applyToTree(tree: Tree, event: FileEvent): void {
  const put = (path: string, hash: string | null): void =>
    void (hash === null ? tree.delete(path) : tree.set(path, hash))
  if (event.type === 'files_changed') for (const file of event.files) put(file.path, file.after)
  else if (event.hash !== undefined) put(event.path, event.hash)
}

function treeBefore(events: readonly FileEvent[], checkpointId: string): Tree {
  const tree: Tree = new Map()
  for (const event of events) {
    if (event.checkpointId === checkpointId) break
    applyToTree(tree, event)
  }
  return tree
}

class Life {
  readonly random: RandomSource
  readonly session: FilesSession
  /** Contents a person was told are stored. */
  readonly written: { path: string; text: string }[] = []
  readonly met = new Map<string, number>()

  constructor(seed: number, session: FilesSession) {
    this.random = new RandomSource(seed)
    this.session = session
  }

  async step(): Promise<void> {
    const { harness } = this.session
    const kind = this.random.weighted({
      agent: 6,
      bash: 3,
      move: 2,
      endRun: 2,
      person: 5,
      personMove: 1,
      keep: 2,
      undo: 6,
      redo: 4,
      restore: 1,
      both: 2,
      bashAtOnce: 1,
      crash: 1,
    })
    if (this.random.chance(0.08)) {
      harness.database.crashAt = this.random.pick(['before_commit', 'after_commit'] as const)
    }
    try {
      await this.act(kind)
      this.note(kind)
    } catch (error) {
      if (error instanceof ToolFailure) this.note('refused')
      else if (!harness.isDead && !(error instanceof Crash)) throw error
    }
    harness.database.crashAt = null
    if (harness.isDead) {
      this.note('died')
      harness.wake()
    }
  }

  private async act(kind: string): Promise<void> {
    const { session, random } = this
    switch (kind) {
      case 'agent':
        return session.agentWrites({ [random.pick(PATHS)]: this.nextText() })
      case 'bash':
        return session.agentRuns(this.nextScript()).then(() => this.noteMoves())
      case 'bashAtOnce':
        return this.runAtOnce()
      case 'move':
        return this.move((from, to) => session.agentMoves(from, to))
      case 'endRun':
        return void (await session.endRun().catch(() => null))
      case 'person':
        return this.writeAsPerson()
      case 'personMove':
        return this.move((from, to) => this.moveAsPerson(from, to))
      case 'both':
        return this.writeAtOnce()
      case 'crash':
        return session.harness.crash()
      case 'restore':
        return this.command({ type: 'restore', checkpointId: this.anyCheckpoint() })
      default:
        return this.review(kind as 'keep' | 'undo' | 'redo')
    }
  }

  /** Mostly a small change of what is there, so that hunks are hunks; sometimes all of it, or none. */
  private nextText(): string | null {
    const { random } = this
    const held = Object.values(this.session.files()).filter((text) => text !== null)
    if (held.length === 0 || random.chance(0.2)) {
      return Array.from({ length: 12 }, (_, line) => `line ${line} ${random.below(3)}\n`).join('')
    }
    if (random.chance(0.15)) return null
    const lines = random.pick(held).split('\n')
    for (let i = 0; i <= random.below(3); i++) {
      lines[random.below(lines.length)] = `changed ${random.below(1000)}`
    }
    return lines.join('\n')
  }

  /** Several files at once: moved with their folder, changed in place, written over, deleted. */
  private nextScript(): string {
    const { random } = this
    const path = (): string => random.pick(PATHS)
    const folder = (): string => random.pick(FOLDERS)
    const kinds = {
      moveFolder: () => `mv ${folder()} ${folder()}`,
      moveInto: () => `mkdir -p ${folder()}; mv *.txt ${folder()}/`,
      copy: () => `cp -r ${folder()} ${folder()}`,
      change: () => `find . -type f | xargs sed -i 's/line ${random.below(12)} /made &/'`,
      append: () => `echo "shell ${random.below(100)}" >> ${path()}`,
      join: () => `cat ${path()} ${path()} > ${path()}`,
      replace: () => `mv ${path()} ${path()}`,
      remove: () => `rm -rf ${random.pick([folder(), path()])}`,
    }
    const script = Array.from({ length: 1 + random.below(3) }, () =>
      kinds[random.pick(Object.keys(kinds) as (keyof typeof kinds)[])](),
    )
    return script.join('\n')
  }

  /** A person writes, and takes something back, while a command runs on what was there before. */
  private async runAtOnce(): Promise<void> {
    const { session } = this
    await session.agent()
    const all = await Promise.allSettled([
      session.agentRuns(this.nextScript()),
      this.writeAsPerson(),
      this.review('undo'),
    ])
    for (const one of all) if (one.status === 'rejected') throw one.reason
  }

  private async writeAsPerson(): Promise<void> {
    const path = this.random.pick(PATHS)
    const text = this.nextText()
    const done = await this.session.personWrites(path, text)
    if (done.ok && text !== null) this.written.push({ path, text })
  }

  private async moveAsPerson(from: string, to: string): Promise<void> {
    const text = this.session.read(from)
    const done = await this.session.harness.core.personFiles.move(OWNER, { from, to })
    if (done.ok && text !== null) this.written.push({ path: to, text })
  }

  private async move(move: (from: string, to: string) => Promise<void>): Promise<void> {
    const held = Object.keys(this.session.files())
    const to = this.random.pick(PATHS)
    if (held.length === 0 || held.includes(to)) return
    await move(this.random.pick(held), to)
  }

  /** Person, agent and a review of the same file, none of which waits for another. */
  private async writeAtOnce(): Promise<void> {
    const path = this.random.pick(PATHS)
    const texts = [this.nextText(), this.nextText()] as const
    await this.session.agent()
    const all = await Promise.allSettled([
      this.session.agentWrites({ [path]: texts[0] }),
      this.session.personWrites(path, texts[1]),
      this.review('undo'),
    ])
    const [, person] = all
    if (person.status === 'fulfilled' && person.value.ok && texts[1] !== null) {
      this.written.push({ path, text: texts[1] })
    }
    for (const one of all) if (one.status === 'rejected') throw one.reason
  }

  private anyCheckpoint(): string {
    const ids = new Set(this.session.fileEvents().map(({ checkpointId }) => checkpointId))
    // Most are about what was done last; some about long ago.
    const recent = [...ids].slice(this.random.chance(0.7) ? -3 : 0)
    return recent.length === 0 ? 'c1' : this.random.pick(recent)
  }

  private async review(type: 'keep' | 'undo' | 'redo'): Promise<void> {
    const { random } = this
    const scope = random.weighted({ all: 1, file: 2, hunk: 3 })
    const checkpointId = this.anyCheckpoint()
    const paths = [...this.session.harness.core.files.checkpoint(checkpointId).keys()]
    const path = paths.length === 0 ? random.pick(PATHS) : random.pick(paths)
    await this.command({
      type,
      checkpointId,
      ...(scope === 'all' ? {} : { path }),
      ...(scope === 'hunk' ? { hunk: random.below(3) } : {}),
    })
  }

  private async command(command: Parameters<FilesSession['command']>[0]): Promise<void> {
    const done = await this.session.command(command)
    this.note(done.ok ? `${command.type} done` : `${command.type} refused`)
    const last = this.session.fileEvents().at(-1)
    if (last?.type === 'file_change_result' && last.conflict !== undefined) this.note('conflict')
  }

  private note(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1)
  }

  /** At every point: files are what the log says, and the review too. */
  check(): void {
    const { harness } = this.session
    const tree: Tree = new Map()
    for (const event of this.session.fileEvents()) applyToTree(tree, event)
    const held = harness.core.files.list().map(({ path, hash }) => [path, hash] as const)
    expect(new Map(held)).toEqual(tree)
    expect(hot(harness.core.folded)).toEqual(hot(harness.folded()))
  }

  /** Several files under one checkpoint's event, moved by one command. */
  private noteMoves(): void {
    const last = this.session.fileEvents().at(-1)
    if (last?.type !== 'files_changed') return
    const moved = last.files.filter(({ action }) => action === 'renamed')
    if (moved.some(({ path }) => path.includes('/'))) this.note('folder moved')
  }

  /** No undo and no redo has ever been made of a content that its checkpoint had not left there. */
  checkReviews(): void {
    const tree: Tree = new Map()
    const left = new Map<string, string | null>()
    for (const event of this.session.fileEvents()) {
      const key = (path: string): string => `${event.checkpointId} ${path}`
      if (event.type === 'file_change_result' && event.hash !== undefined) {
        expect(tree.get(event.path) ?? null).toBe(left.get(key(event.path)))
        left.set(key(event.path), event.hash)
      } else if (event.type === 'files_changed') {
        for (const file of event.files) left.set(key(file.path), file.after)
      }
      applyToTree(tree, event)
    }
  }

  /** Every version that was ever there can be read; above all those that a person wrote. */
  async checkVersions(): Promise<void> {
    const { session } = this
    for (const { path, text } of this.written) {
      const hash = await hashOf(toBytes(text).slice())
      expect(session.read(path, hash), `${path} as the person wrote it`).toBe(text)
    }
    for (const event of session.fileEvents()) {
      const named =
        event.type === 'files_changed'
          ? event.files.flatMap(({ path, before, after }) => [
              [path, before],
              [path, after],
            ])
          : [[event.path, event.hash ?? null]]
      for (const [path, hash] of named) {
        if (typeof path !== 'string' || typeof hash !== 'string') continue
        const text = session.read(path, hash)
        expect(text === null ? null : await hashOf(toBytes(text).slice())).toBe(hash)
      }
    }
  }

  /** The workspace of any moment comes back. */
  async checkRestores(): Promise<void> {
    const { session } = this
    const ids = [...new Set(session.fileEvents().map(({ checkpointId }) => checkpointId))]
    for (let i = 0; i < Math.min(5, ids.length); i++) {
      const checkpointId = this.random.pick(ids)
      const wanted = treeBefore(session.fileEvents(), checkpointId)
      await session.command({ type: 'restore', checkpointId })
      const held = session.harness.core.files.list().map(({ path, hash }) => [path, hash] as const)
      expect(new Map(held)).toEqual(wanted)
    }
  }
}

test('[FILE4] [FILE1] whatever agent and person write, keep, undo and redo, and wherever it crashes: nothing is lost', async () => {
  const met = new Map<string, number>()
  for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed++) {
    const life = new Life(seed, await FilesSession.create())
    try {
      for (let step = 0; step < STEPS; step++) {
        await life.step()
        life.check()
      }
      life.checkReviews()
      await life.checkVersions()
      await life.checkRestores()
      life.check()
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
    for (const [what, times] of life.met) met.set(what, (met.get(what) ?? 0) + times)
  }
  // A life that never meets a thing proves nothing about it.
  for (const what of ['undo done', 'redo done', 'keep done', 'restore done', 'conflict', 'died']) {
    expect(met.get(what) ?? 0, what).toBeGreaterThan(20)
  }
  expect(met.get('refused') ?? 0).toBeGreaterThan(20)
  for (const what of ['bash', 'bashAtOnce', 'folder moved']) {
    expect(met.get(what) ?? 0, what).toBeGreaterThan(20)
  }
})

test('[FILE4] a path that is unheard of has no versions', async () => {
  const session = await FilesSession.create()
  await session.personWrites('a.txt', 'text')
  const hash = session.harness.core.files.hashAt('a.txt') ?? ''
  expect(session.read(pathOf('z.txt'), hash)).toBe(null)
})

// The workspace as the panel shows it: the list, the file that is open, and what is done to them.

import { batch, computed, signal } from '@preact/signals'
import type { FileList } from '#protocol/http'
import { ApiError } from '../../sdk/errors.ts'
import type { FileContent, FilesApi, Precondition } from '../../sdk/files-api.ts'
import { toFieldText, withEndingsOf } from './endings.ts'
import { offerUndo } from './undo-write.ts'
import { countFiles, splitPath } from './words.ts'

export const isStale = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 412 || error.code === 'file_conflict')

/** What stands for a file that is gone: it can be written again, as long as nobody else does. */
export const DELETED: FileContent = { bytes: new Uint8Array(), text: '', hash: '' }

export class WorkspaceModel {
  readonly files: FilesApi
  readonly list = signal<FileList | null>(null)
  readonly problem = signal('')
  readonly path = signal<string | null>(null)
  readonly content = signal<FileContent | null>(null)
  /** What is being typed; null: the file is only read. */
  readonly draft = signal<string | null>(null)
  /** Somebody wrote while this was being typed: what they wrote. */
  readonly theirs = signal<FileContent | null>(null)
  /** Files of the device whose names are taken. */
  readonly taken = signal<readonly File[]>([])
  readonly isDirty = computed(
    () =>
      this.draft.value !== null && this.draft.value !== toFieldText(this.content.value?.text ?? ''),
  )

  constructor(files: FilesApi) {
    this.files = files
  }

  /** Says only what went wrong: what another action has said stays. */
  async reload(): Promise<void> {
    try {
      this.list.value = await this.files.list()
      const path = this.path.peek()
      const now = this.list.peek()?.files.find((file) => file.path === path)
      // What is being typed is left alone: saving it will tell what has happened meanwhile.
      if (path === null || this.draft.peek() !== null) return
      if (now === undefined) this.close()
      else if (now.hash !== this.content.peek()?.hash) await this.#show(path)
    } catch (error) {
      this.#say(error)
    }
  }

  async open(path: string): Promise<void> {
    await this.#attempt(() => this.#show(path))
  }

  async #show(path: string): Promise<void> {
    const content = await this.files.read(path)
    batch(() => {
      this.path.value = path
      this.content.value = content
      this.draft.value = null
      this.theirs.value = null
    })
  }

  close(): void {
    batch(() => {
      this.path.value = null
      this.content.value = null
      this.draft.value = null
      this.theirs.value = null
    })
  }

  edit(): void {
    this.draft.value = toFieldText(this.content.peek()?.text ?? '')
  }

  /** Only over what was seen: the version that was opened, or the one that was found instead. */
  async save(): Promise<void> {
    const path = this.path.peek()
    const seen = this.theirs.peek() ?? this.content.peek()
    const draft = this.draft.peek()
    if (path === null || seen === null || draft === null) return
    const text = withEndingsOf(this.content.peek()?.text ?? '', draft)
    await this.#attempt(async () => {
      try {
        const expected = seen === DELETED ? 'absent' : { hash: seen.hash }
        const { seq } = await this.files.write(path, text, expected)
        offerUndo(`Saved ${splitPath(path).name}`, this.files, seq, () => void this.reload())
        await this.#show(path)
        await this.reload()
      } catch (error) {
        if (!isStale(error)) throw error
        this.theirs.value = await this.#readNow(path)
      }
    })
  }

  /** False: it was refused, and `problem` says why. */
  async create(path: string): Promise<boolean> {
    return this.#attempt(async () => {
      const { file } = await this.#write(path, '', 'absent')
      await this.reload()
      await this.#show(file?.path ?? path)
      this.edit()
    })
  }

  async move(from: string, to: string): Promise<boolean> {
    return this.#attempt(async () => {
      const { file, seq } = await this.files.move(from, to)
      offerUndo(`Moved to ${to}`, this.files, seq, () => void this.reload())
      await this.#show(file?.path ?? to)
      await this.reload()
    })
  }

  async remove(path: string): Promise<void> {
    const hash = this.content.peek()?.hash
    await this.#attempt(async () => {
      const { seq } = await this.files.remove(path, hash === undefined ? 'any' : { hash })
      offerUndo(`Deleted ${splitPath(path).name}`, this.files, seq, () => void this.reload())
      this.close()
      await this.reload()
    })
  }

  /** An archive is unpacked; what has a name that is taken waits until a person says so. */
  async upload(chosen: readonly File[], how: 'new' | 'replace' = 'new'): Promise<void> {
    this.taken.value = []
    this.problem.value = ''
    for (const file of chosen) {
      const isArchive = /\.zip$/i.test(file.name)
      try {
        // One at a time: each is held while it is sent.
        // oxlint-disable-next-line no-await-in-loop
        await (isArchive ? this.#unpack(file) : this.#uploadOne(file, how))
      } catch (error) {
        this.#say(error, `${file.name}: `)
      }
    }
    await this.reload()
  }

  async #unpack(archive: File): Promise<void> {
    const { files, seq } = await this.files.unpack(archive)
    const words = `Unpacked ${archive.name}: ${countFiles(files)}`
    offerUndo(words, this.files, seq, () => void this.reload())
  }

  async #uploadOne(file: File, how: 'new' | 'replace'): Promise<void> {
    // A folder that was dropped says where in it each file was.
    const path = file.webkitRelativePath || file.name
    try {
      const { seq } = await this.#write(path, file, how === 'new' ? 'absent' : 'any')
      offerUndo(`Uploaded ${file.name}`, this.files, seq, () => void this.reload())
    } catch (error) {
      if (how === 'replace' || !isStale(error)) throw error
      this.taken.value = [...this.taken.peek(), file]
    }
  }

  #write(path: string, body: BodyInit, expected: Precondition) {
    return this.files.write(path.trim().replace(/^\/+/, ''), body, expected)
  }

  async #readNow(path: string): Promise<FileContent> {
    try {
      return await this.files.read(path)
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return DELETED
      throw error
    }
  }

  async #attempt(work: () => Promise<void>): Promise<boolean> {
    this.problem.value = ''
    try {
      await work()
      return true
    } catch (error) {
      this.#say(error)
      return false
    }
  }

  #say(error: unknown, about = ''): void {
    this.problem.value = about + (error instanceof Error ? error.message : String(error))
  }
}

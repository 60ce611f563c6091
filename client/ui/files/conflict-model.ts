// A conflict and what a person makes of it. Whatever is chosen is written only where the file is
// still what was shown: a third change in between is shown, never written over.

import { signal } from '@preact/signals'
import { ApiError } from '../../sdk/errors.ts'
import type { FileContent, FilesApi } from '../../sdk/files-api.ts'
import type { ChangeTarget } from '../../sdk/session-commands.ts'
import { findReview, keep } from './review-actions.ts'
import { offerUndo } from './undo-write.ts'

export type Side = 'before' | 'agent' | 'current'
/** Null: in that version there is no such file. */
export type Version = FileContent | null

export class ConflictModel {
  readonly versions = signal<Record<Side, Version> | null>(null)
  readonly problem = signal('')
  readonly isBusy = signal(false)
  readonly isDone = signal(false)
  readonly #files: FilesApi
  readonly #target: ChangeTarget & { path: string }

  constructor(files: FilesApi, target: ChangeTarget & { path: string }) {
    this.#files = files
    this.#target = target
  }

  async load(): Promise<void> {
    const review = findReview(this.#target)
    if (review === undefined) {
      this.problem.value = 'There is nothing left to decide here.'
      return
    }
    const { before, after } = review
    try {
      const [first, agent, current] = await Promise.all([
        this.#version(before),
        this.#version(after),
        this.#current(),
      ])
      this.versions.value = { before: first, agent, current }
    } catch (error) {
      this.#say(error)
    }
  }

  async choose(side: Side): Promise<void> {
    this.isBusy.value = true
    this.problem.value = ''
    try {
      if (side !== 'current') await this.#write(side)
      await keep(this.#target)
      this.isDone.value = findReview(this.#target) === undefined
    } catch (error) {
      this.#say(error)
    } finally {
      this.isBusy.value = false
    }
  }

  async #write(side: 'before' | 'agent'): Promise<void> {
    const { [side]: chosen, current } = this.versions.peek()!
    if ((chosen?.hash ?? null) === (current?.hash ?? null)) return
    const expected = current === null ? ('absent' as const) : { hash: current.hash }
    const { path } = this.#target
    try {
      const { seq } =
        chosen === null
          ? await this.#files.remove(path, expected)
          : await this.#files.write(path, chosen.bytes, expected)
      offerUndo(`Took another version of ${path}`, this.#files, seq)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) throw error
      await this.load()
      const message = 'It was changed once more, and nothing was written. This is what it is now.'
      throw new Error(message, { cause: error })
    }
  }

  #version(hash: string | null): Promise<Version> {
    return hash === null ? Promise.resolve(null) : this.#files.read(this.#target.path, hash)
  }

  async #current(): Promise<Version> {
    try {
      return await this.#files.read(this.#target.path)
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null
      throw error
    }
  }

  #say(error: unknown): void {
    this.problem.value = error instanceof Error ? error.message : String(error)
  }
}

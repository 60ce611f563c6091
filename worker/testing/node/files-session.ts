// A session whose agent and whose person write files when the test says so.

import type { ServerFrame } from '#protocol/frames'
import type { SessionEvent } from '#protocol/events'
import type { FileEvent } from '../../core/session/fold-files.ts'
import { bashTool } from '../../core/tools/bash.ts'
import { toBytes } from '../../core/workspace/lines.ts'
import type { FileChange, Workspace } from '../../core/workspace/workspace.ts'
import { pathOf } from './memory-workspace.ts'
import { OWNER, SessionHarness } from './session-harness.ts'

type Command = Parameters<SessionHarness['tryLater']>[0]

export class FilesSession {
  readonly harness: SessionHarness
  private calls = 0

  private constructor(harness: SessionHarness) {
    this.harness = harness
  }

  static async create(): Promise<FilesSession> {
    return new FilesSession(await SessionHarness.create())
  }

  /** The workspace of a tool call that runs now; a run is started where there is none. */
  async agent(): Promise<Workspace> {
    const { harness } = this
    for (let attempt = 0; attempt < 10; attempt++) {
      const open = harness.tools.open.at(-1)
      if (open !== undefined) return open.context.workspace
      if (harness.core.folded.run.status === 'idle') harness.command({ type: 'send', text: 'go' })
      await harness.settle()
      await this.callTool()
    }
    throw new Error('no call runs')
  }

  private async callTool(): Promise<void> {
    const call = this.harness.model.calls.findLast(({ settled }) => !settled)
    if (call === undefined) return
    const id = `call-${++this.calls}`
    call.emit({ type: 'tool_call', id, toolName: 'write', arguments: '{}' })
    call.finish('tool_calls')
    await this.harness.settle()
  }

  /** One write of the agent; null deletes. */
  async agentWrites(
    files: Record<string, string | null>,
    more: Partial<FileChange> = {},
  ): Promise<void> {
    const workspace = await this.agent()
    const changes = Object.entries(files).map(([path, text]) => ({
      path: pathOf(path),
      bytes: text === null ? null : toBytes(text),
      ...more,
    }))
    await workspace.apply(changes)
  }

  async agentMoves(from: string, to: string): Promise<void> {
    const workspace = await this.agent()
    const bytes = await workspace.read(pathOf(from))
    await workspace.apply([
      { path: pathOf(from), bytes: null },
      { path: pathOf(to), bytes, movedFrom: pathOf(from) },
    ])
  }

  /** A shell command of the agent. Rejects as the tool does; what it prints is not of interest. */
  async agentRuns(command: string): Promise<void> {
    const workspace = await this.agent()
    const { signal } = new AbortController()
    await bashTool.run({ command }, { signal, output: () => {}, now: () => 0, workspace })
  }

  /** The run ends; what it wrote is one checkpoint. Returns its id. */
  async endRun(): Promise<string> {
    const { harness } = this
    for (const run of harness.tools.open) run.settle({ ok: true, result: 'done' })
    await harness.settle()
    harness.model.calls
      .findLast(({ settled }) => !settled)
      ?.text('All is written.')
      .finish()
    await harness.settle()
    return this.lastCheckpoint()
  }

  lastCheckpoint(): string {
    const last = this.fileEvents().findLast(({ type }) => type === 'files_changed')
    if (last === undefined) throw new Error('no checkpoint')
    return last.checkpointId
  }

  personWrites(path: string, text: string | null) {
    return this.harness.core.personFiles.write(OWNER, {
      path,
      bytes: text === null ? null : toBytes(text),
    })
  }

  command(command: Command) {
    return this.harness.tryLater(command)
  }

  read(path: string, version?: string): string | null {
    const found = this.harness.core.personFiles.read(OWNER, path, version)
    return found.ok ? new TextDecoder().decode(found.value.bytes) : null
  }

  /** What is there now, as text. */
  files(): Record<string, string | null> {
    const entries = this.harness.core.files.list()
    return Object.fromEntries(entries.map(({ path }) => [path, this.read(path)]))
  }

  fileEvents(): FileEvent[] {
    return this.harness
      .events()
      .filter(
        (event): event is FileEvent & SessionEvent =>
          event.type === 'files_changed' || event.type === 'file_change_result',
      )
  }

  /** What a client that has watched from the start has been told. */
  watch(): () => SessionEvent[] {
    const socket = this.harness.connect(0)
    return () =>
      socket.frames.flatMap((frame: ServerFrame) => (frame.type === 'events' ? frame.events : []))
  }
}

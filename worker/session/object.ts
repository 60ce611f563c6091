// The Durable Object of one session. It wires and nothing else: no SQL, no parsing, no events.

import type { Bound } from '#protocol/agent-events'
import type { Ack, Command } from '#protocol/commands'
import type {
  CheckpointsPage,
  FileDiffView,
  FileList,
  Judged,
  Rejection,
  SessionStats,
  SessionSummary,
  WrittenFile,
} from '#protocol/http'
import { FIRST_BYTE_MS, SOCKETS_PER_SESSION } from '#protocol/limits'
import type { AgentOverride } from '#protocol/mission-events'
import { type Connection, Server } from 'partyserver'
import { Receiver } from '../core/session/receive.ts'
import { SessionCore } from '../core/session/session.ts'
import { findBuiltIn } from '../core/agents/agent.ts'
import { Circuit } from '../core/session/circuit.ts'
import type { Inheritance } from '../core/session/inheritance.ts'
import type { Claim, Delivery, Envelope, Standing } from '../core/session/letters.ts'
import type { RunContact } from '../core/session/run-contacts.ts'
import type { ChildOf } from '../core/session/run-workspace.ts'
import type { FileChange, FileEntry, WorkspacePath } from '../core/workspace/workspace.ts'
import { listAgents, loadAgent } from '../directory/agents.ts'
import { loadStandingMission } from '../directory/missions.ts'
import { listRules, saveRule } from '../directory/rules.ts'
import { parseSettings, type Env } from '../env.ts'
import { projectionsOf } from '../hub/projections.ts'
import { logFailure } from '../log.ts'
import { resolveModels } from '../models/resolve.ts'
import { resolveTools } from '../tools.ts'
import {
  OWNER_HEADER,
  type CheckpointsQuery,
  type EventsPage,
  type EventsQuery,
  type FileContent,
  type FileOutcome,
  type FileWrite,
  type MessagesPage,
  type MessagesQuery,
  type MissionRecord,
  type NewSession,
  type Result,
  type RunContext,
  type RunsPage,
  type RunsQuery,
  type SessionRpc,
  type StandingView,
  type Upload,
} from './rpc.ts'
import { peersOf } from './peers.ts'
import { MeteredStorage } from './storage.ts'

/** What a socket keeps across hibernation. */
type Attachment = { owner: string; live: boolean }

/** Shared by the sessions of an isolate: what one found out about a provider spares the others. */
const circuit = new Circuit()

export class Session extends Server<Env> implements SessionRpc {
  static override options = { hibernate: true }
  private readonly storage: MeteredStorage
  private readonly core: SessionCore
  private readonly receiver: Receiver

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
    this.storage = new MeteredStorage(ctx.storage)
    this.core = this.wire()
    this.receiver = new Receiver(this.core)
    for (const connection of this.getConnections<Attachment>()) {
      this.core.subscribers.add(connection, connection.state?.live === true)
    }
    this.core.wake()
  }

  /** Upgrades only. An unknown session is refused before partyserver can store anything for it. */
  override async fetch(request: Request): Promise<Response> {
    const owner = request.headers.get(OWNER_HEADER) ?? ''
    if (!this.core.isOwnedBy(owner)) return refuse(404, 'not_found', 'no such session')
    if (this.core.subscribers.size >= SOCKETS_PER_SESSION) {
      return refuse(429, 'too_many_sockets', 'too many connections to this session')
    }
    await this.storage.meterName()
    return super.fetch(request)
  }

  override onConnect(connection: Connection<Attachment>, { request }: { request: Request }): void {
    connection.setState({ owner: request.headers.get(OWNER_HEADER) ?? '', live: false })
    this.core.subscribers.add(connection)
  }

  override onMessage(connection: Connection<Attachment>, message: string | ArrayBuffer): void {
    const owner = connection.state?.owner ?? ''
    try {
      if (this.receiver.receive(connection, owner, message)) {
        connection.setState({ owner, live: true })
      }
    } catch (error) {
      // Partyserver would let this escape: the client reconnects and resumes from its seq.
      logFailure('socket message failed', error, { session: this.core.folded.session.id })
      connection.close(1011, 'something went wrong')
    }
  }

  override onClose(connection: Connection, code: number): void {
    this.core.subscribers.remove(connection)
    // Partyserver leaves a close without a code unanswered, and the client would see it fail.
    if (code === 1005) connection.close(1000)
  }

  override onError(connection: Connection): void {
    this.core.subscribers.remove(connection)
  }

  override alarm(): Promise<void> {
    return this.core.alarm()
  }

  create(input: NewSession): Promise<Result<SessionSummary>> {
    return this.core.create(input)
  }

  async summary(owner: string): Promise<Result<SessionSummary & { empty: boolean }>> {
    return this.core.views.summary(owner)
  }

  async command(owner: string, command: Command, reason?: 'api'): Promise<Result<Ack>> {
    const result = await this.core.command(owner, command, reason ?? 'user')
    // A program that renames, or sets a mission, and then lists expects to see it; a directory out of reach must not
    // hold up the answer for longer than one try.
    if (result.ok && isListed(command)) await this.core.settleDirectory()
    return result
  }

  judgeEdits(...asked: Parameters<SessionRpc['judgeEdits']>): Promise<Result<Judged>> {
    return this.core.judgeEdits(...asked)
  }

  async events(owner: string, query: EventsQuery): Promise<Result<EventsPage>> {
    return this.core.views.events(owner, query)
  }

  async messages(owner: string, query: MessagesQuery): Promise<Result<MessagesPage>> {
    return this.core.views.messages(owner, query)
  }

  async stats(owner: string): Promise<Result<SessionStats>> {
    if (!this.core.isOwnedBy(owner)) return this.core.views.summary(owner) as Result<never>
    const { rowsWritten, rowsRead, databaseBytes } = this.storage
    const { seq, subscribers } = this.core
    const sockets = subscribers.size
    return { ok: true, value: { rowsWritten, rowsRead, databaseBytes, events: seq, sockets } }
  }

  async runs(owner: string, query: RunsQuery): Promise<Result<RunsPage>> {
    return this.core.views.runs(owner, query)
  }

  runContext(owner: string, runId: string, view: 'summary' | 'raw'): Promise<Result<RunContext>> {
    return this.core.views.runContext(owner, runId, view)
  }

  async workspaceId(owner: string): Promise<Result<string>> {
    return this.core.views.workspaceId(owner)
  }

  async mission(owner: string): Promise<Result<StandingView>> {
    return this.core.views.mission(owner)
  }

  async missions(owner: string): Promise<Result<MissionRecord[]>> {
    return this.core.views.missions(owner)
  }

  async override(owner: string, agentId: string): Promise<Result<AgentOverride | null>> {
    return this.core.views.override(owner, agentId)
  }

  async listFiles(owner: string): Promise<Result<FileList>> {
    return this.core.personFiles.list(owner)
  }

  async readFile(owner: string, path: string, version?: string): Promise<Result<FileContent>> {
    return this.core.personFiles.read(owner, path, version)
  }

  writeFile(owner: string, write: FileWrite): Promise<FileOutcome<WrittenFile>> {
    return this.core.personFiles.write(owner, write)
  }

  moveFile(owner: string, move: { from: string; to: string }): Promise<FileOutcome<WrittenFile>> {
    return this.core.personFiles.move(owner, move)
  }

  async downloadFiles(owner: string, folder: string): Promise<Result<ReadableStream<Uint8Array>>> {
    const zip = this.core.personFiles.download(owner, folder)
    // Only a stream of bytes can leave an object.
    return zip.ok ? { ok: true, value: zip.value.pipeThrough(new IdentityTransformStream()) } : zip
  }

  uploadFiles(owner: string, upload: Upload): Promise<Result<{ files: number; seq: number }>> {
    return this.core.personFiles.upload(owner, upload)
  }

  async checkpoints(owner: string, query: CheckpointsQuery): Promise<Result<CheckpointsPage>> {
    return this.core.personFiles.checkpoints(owner, query)
  }

  async checkpointDiff(
    owner: string,
    checkpointId: string,
    path: string,
  ): Promise<Result<FileDiffView>> {
    return this.core.personFiles.diff(owner, checkpointId, path)
  }

  async deliver(owner: string, sessionId: string, envelope: Envelope): Promise<Delivery> {
    return this.core.receive(owner, sessionId, envelope)
  }

  async isWanted(owner: string, claim: Claim): Promise<boolean> {
    return this.core.isWanted(owner, claim)
  }

  async standing(owner: string, claim: Claim): Promise<Standing | null> {
    return this.core.standstill.standing(owner, claim)
  }

  async refuse(owner: string, exchangeId: string, why: string): Promise<void> {
    this.core.standstill.refuse(owner, exchangeId, why)
  }

  async resend(owner: string, to: string): Promise<boolean> {
    return this.core.resend(owner, to)
  }

  inheritance(owner: string): Promise<Inheritance | null> {
    return this.core.inheritance(owner)
  }

  bound(owner: string): Promise<Bound | null> {
    return this.core.views.bound(owner)
  }

  async childFiles(owner: string, child: ChildOf): Promise<FileEntry[] | null> {
    const workspace = this.core.childFiles.open(owner, child)
    return workspace === null ? null : [...workspace.list()]
  }

  async childRead(owner: string, child: ChildOf, path: WorkspacePath): Promise<Uint8Array | null> {
    return (await this.core.childFiles.open(owner, child)?.read(path)) ?? null
  }

  childWrite(owner: string, child: ChildOf, changes: readonly FileChange[]) {
    return this.core.childFiles.write(owner, child, changes)
  }

  async contactsOf(owner: string, runId: string): Promise<Result<RunContact[]>> {
    return this.core.views.contactsOf(owner, runId)
  }

  async runOfExchange(owner: string, exchangeId: string): Promise<string | null> {
    return this.core.views.runOfExchange(owner, exchangeId)
  }

  remove(owner: string): Promise<Result<null>> {
    return this.core.remove(owner)
  }

  restore(owner: string): Promise<Result<SessionSummary>> {
    return this.core.restore(owner)
  }

  async announce(owner: string): Promise<void> {
    if (this.core.isOwnedBy(owner)) await this.core.settleDirectory()
  }

  private wire(): SessionCore {
    const { ctx, env, storage } = this
    const settings = parseSettings(env)
    return new SessionCore({
      sql: storage,
      now: () => Date.now(),
      timers: {
        set: (ms, run) => setTimeout(run, ms),
        clear: (handle) => clearTimeout(handle as number),
      },
      random: () => Math.random(),
      models: resolveModels(env),
      agents: {
        find: findBuiltIn,
        load: (owner, name) => loadAgent(env.DB, owner, name),
        list: (owner) => listAgents(env.DB, owner),
      },
      peers: peersOf(env),
      missions: { load: (owner, agent) => loadStandingMission(env.DB, owner, agent) },
      tools: resolveTools(env),
      rules: {
        load: (owner) => listRules(env.DB, owner),
        save: (owner, rule) => saveRule(env.DB, owner, rule),
      },
      sensitivePatterns: settings.sensitivePatterns,
      decisionMs: settings.decisionMs,
      circuit,
      stallMs: settings.stallMs,
      firstByteMs: Math.max(FIRST_BYTE_MS, settings.stallMs),
      commandRate: settings.commandRate,
      setAlarm: (at) => ctx.waitUntil(storage.setAlarm(at)),
      background: (work) => ctx.waitUntil(work),
      directory: projectionsOf(env),
      erase: () => ctx.storage.deleteAll(),
    })
  }
}

/** What it changes stands in the directory, too. */
const isListed = ({ type }: Command): boolean => type === 'configure' || type.startsWith('mission_')

function refuse(status: number, code: Rejection['code'], message: string): Response {
  return Response.json({ error: { code, message } }, { status })
}

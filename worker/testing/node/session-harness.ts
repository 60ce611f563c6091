// A session with everything around it in the test's hands: clock, model, tools, sockets, crashes.

import type { Ack, Command } from '#protocol/commands'
import type { Plan, Question, SavedRule } from '#protocol/decision-events'
import type { SessionEvent } from '#protocol/events'
import type { ServerFrame } from '#protocol/frames'
import { FIRST_BYTE_MS, STALL_MS } from '#protocol/limits'
import { fold } from '#protocol/reduce'
import type { SessionState } from '#protocol/state'
import { Log } from '../../core/session/log.ts'
import { Receiver } from '../../core/session/receive.ts'
import { SessionCore } from '../../core/session/session.ts'
import type { Peers, Projection, SessionDeps } from '../../core/session/session-deps.ts'
import type { ClientSocket } from '../../core/session/subscribers.ts'
import { BUILTIN_AGENTS, type Agent } from '../../core/agents/agent.ts'
import { Circuit } from '../../core/session/circuit.ts'
import type { ToolSpec } from '../../core/session/model.ts'
import type { Action } from '../../core/policy/policy.ts'
import type {
  PreparedCall,
  ToolBox,
  ToolContext,
  ToolOutcome,
  ToolRegistry,
} from '../../core/tools/tool.ts'
import { MemorySql, MortalSql } from './memory-sql.ts'
import { ScriptedModel } from './scripted-model.ts'
import { VirtualTimers } from './virtual-timers.ts'

export const SESSION_ID = 'session-0123456789'
export const OWNER = 'owner'

/** One tool execution that waits for the test to settle it. */
export type ToolRun = {
  callId: string
  toolName: string
  arguments: string
  context: ToolContext
  settle: (outcome: ToolOutcome) => void
  settled: boolean
}

export class ScriptedTools implements ToolRegistry {
  readonly runs: ToolRun[] = []
  /** What the model is told it may call. Any call is run, offered or not. */
  offered: readonly ToolSpec[] = []
  specs(): readonly ToolSpec[] {
    return this.offered
  }
  isRepeatable(toolName: string): boolean {
    return toolName.startsWith('safe')
  }
  /** What the policy is told of a tool; one without is nothing that anyone would have to allow. */
  readonly actions = new Map<string, Action>()
  /** What a tool asks a person instead of running. */
  readonly questions = new Map<string, readonly Question[]>()
  readonly plans = new Map<string, Plan>()
  prepare(call: { callId: string; toolName: string; arguments: string }): PreparedCall {
    const questions = this.questions.get(call.toolName)
    if (questions !== undefined) return { do: 'ask', questions }
    const plan = this.plans.get(call.toolName)
    if (plan !== undefined) return { do: 'plan', plan }
    return {
      do: 'run',
      action: this.actions.get(call.toolName) ?? null,
      preview: () => Promise.resolve({}),
      run: (context) => this.execute(call, context),
    }
  }
  private execute(
    call: { callId: string; toolName: string; arguments: string },
    context: ToolContext,
  ): Promise<ToolOutcome> {
    return new Promise((resolve) => {
      const run: ToolRun = {
        ...call,
        context,
        settled: false,
        settle: (outcome) => {
          run.settled = true
          resolve(outcome)
        },
      }
      context.signal.addEventListener('abort', () => (run.settled = true), { once: true })
      this.runs.push(run)
    })
  }
  get open(): ToolRun[] {
    return this.runs.filter((run) => !run.settled)
  }
}

/** A socket whose frames pile up until the test looks at them or delivers them. */
export class TestSocket implements ClientSocket {
  readonly frames: ServerFrame[] = []
  onSend: () => void = () => {}
  closed: { code: number; reason: string } | null = null
  bytes = 0
  send(text: string): void {
    if (this.closed !== null) throw new Error('closed')
    this.bytes += text.length
    this.frames.push(JSON.parse(text) as ServerFrame)
    this.onSend()
  }
  close(code: number, reason: string): void {
    this.closed ??= { code, reason }
  }
  /** Every event frame's events so far. */
  get events(): SessionEvent[] {
    return this.frames.flatMap((frame) => (frame.type === 'events' ? frame.events : []))
  }
  last<T extends ServerFrame['type']>(type: T): Extract<ServerFrame, { type: T }> {
    const frame = this.frames.findLast((one) => one.type === type)
    if (frame === undefined) throw new Error(`no ${type} frame`)
    return frame as Extract<ServerFrame, { type: T }>
  }
}

const unreachable = (): Promise<never> => Promise.reject(new Error('nobody is there'))
/** Most tests have one session only. */
export const NO_PEERS: Peers = {
  deliver: unreachable,
  isWanted: unreachable,
  standing: unreachable,
  refuse: unreachable,
  resend: unreachable,
  inheritance: unreachable,
  bound: unreachable,
  summary: unreachable,
  command: unreachable,
  remove: unreachable,
  restore: unreachable,
  workspace: unreachable,
}

export class SessionHarness {
  readonly database = new MemorySql()
  readonly timers = new VirtualTimers()
  readonly directory = new Map<string, Projection>()
  directoryFails = false
  alarmAt: number | null = null
  model = new ScriptedModel()
  /** Takes over when `model` fails, in tests that ask for it. */
  backup = new ScriptedModel('backup')
  fallbacks: string[] = []
  agents: Agent[] = []
  /** Standing missions of agents, by name. */
  readonly agentMissions = new Map<string, string>()
  tools = new ScriptedTools()
  readonly rules: SavedRule[] = []
  erased = false
  core: SessionCore
  receiver: Receiver
  private sql: MortalSql
  /** Asked for each time the object wakes. */
  private readonly overrides: () => Partial<SessionDeps>
  private commands = 0
  readonly circuit = new Circuit()

  constructor(overrides: Partial<SessionDeps> | (() => Partial<SessionDeps>) = {}) {
    this.overrides = typeof overrides === 'function' ? overrides : () => overrides
    this.database.onCrash = () => this.die()
    this.sql = new MortalSql(this.database)
    this.core = this.build()
    this.receiver = new Receiver(this.core)
  }

  static async create(overrides: Partial<SessionDeps> = {}): Promise<SessionHarness> {
    const harness = new SessionHarness(overrides)
    await harness.core.create({
      sessionId: SESSION_ID,
      owner: OWNER,
      agent: 'parley',
      model: 'scripted',
    })
    return harness
  }

  /** Let everything that is ready happen: promises only, never time. */
  async settle(): Promise<void> {
    for (let i = 0; i < 60; i++) await Promise.resolve()
  }

  command(command: { type: Command['type']; id?: string } & Record<string, unknown>): Ack {
    const result = this.try(command)
    if (!result.ok) throw new Error(`${result.rejection.code}: ${result.rejection.message}`)
    return result.value
  }

  try(command: { type: Command['type']; id?: string } & Record<string, unknown>) {
    const full = { id: `c${++this.commands}`, ...command } as unknown as Command
    const result = this.core.command(OWNER, full, 'user')
    if (result instanceof Promise) throw new Error('this command is prepared: use tryLater')
    return result
  }

  /** A command that may have to be prepared first. */
  async tryLater(command: { type: Command['type']; id?: string } & Record<string, unknown>) {
    const full = { id: `c${++this.commands}`, ...command } as unknown as Command
    return this.core.command(OWNER, full, 'user')
  }

  connect(after: number | null = null, tail?: number): TestSocket {
    const socket = new TestSocket()
    this.core.subscribers.add(socket)
    const hello = { type: 'hello', version: 1, after, ...(tail === undefined ? {} : { tail }) }
    this.receiver.receive(socket, OWNER, JSON.stringify(hello))
    return socket
  }

  /** The object dies in the middle of whatever it does, and wakes again. Sockets are cut. */
  crash(sockets: TestSocket[] = []): void {
    this.die()
    for (const socket of sockets) socket.closed ??= { code: 1006, reason: '' }
    this.wake()
  }

  /** The object sleeps with its sockets open, and wakes again with them. Only ever when idle. */
  hibernate(sockets: TestSocket[] = []): void {
    if (this.timers.size > 0) throw new Error('a timer would have kept the object awake')
    this.die()
    this.core = this.build()
    this.receiver = new Receiver(this.core)
    for (const socket of sockets) {
      if (socket.closed === null) this.core.subscribers.add(socket, true)
    }
    this.core.wake()
  }

  get isDead(): boolean {
    return this.sql.dead
  }

  die(): void {
    this.sql.dead = true
    this.timers.drop()
    for (const call of [...this.model.calls, ...this.backup.calls]) call.settled = true
    for (const run of this.tools.runs) run.settled = true
  }

  wake(): void {
    this.core = this.build()
    this.receiver = new Receiver(this.core)
    this.core.wake()
  }

  events(): SessionEvent[] {
    return new Log(this.database).events({ openParts: null })
  }

  folded(): SessionState {
    return fold(this.events())
  }

  private toolBox(): ToolBox {
    return {
      isRepeatable: (toolName) => this.tools.isRepeatable(toolName),
      inspect: (toolName, args) => ({
        action: this.tools.actions.get(toolName) ?? {
          kind: 'tool',
          toolName,
          arguments: args,
          readOnly: true,
        },
      }),
      open: () => Promise.resolve({ registry: this.tools, warnings: [] }),
    }
  }

  private build(): SessionCore {
    this.sql = new MortalSql(this.database)
    const { sql } = this
    return new SessionCore({
      sql,
      now: () => this.timers.now,
      timers: this.timers,
      random: () => 0.5,
      models: {
        ids: ['scripted', 'other'],
        get: (id) => [this.model, this.backup].find((model) => model.id === id) ?? null,
        fallbacksOf: () => this.fallbacks,
      },
      agents: {
        find: (name) => (name === 'parley' || name === 'assistant' ? BUILTIN_AGENTS[0]! : null),
        load: async (_owner, name) => this.agents.find((agent) => agent.name === name) ?? null,
        list: async () => [BUILTIN_AGENTS[0]!, ...this.agents],
      },
      peers: NO_PEERS,
      missions: {
        load: async (_owner, agent) => {
          const text = this.agentMissions.get(agent)
          return text === undefined ? null : { text }
        },
      },
      tools: this.toolBox(),
      rules: {
        load: () => Promise.resolve(this.rules),
        save: async (_owner, rule) => void this.rules.push(rule),
      },
      sensitivePatterns: [],
      decisionMs: null,
      circuit: this.circuit,
      stallMs: STALL_MS,
      firstByteMs: FIRST_BYTE_MS,
      commandRate: null,
      setAlarm: (at) => {
        this.alarmAt = at
      },
      background: (work) => {
        work.catch((error: unknown) => {
          if (!sql.dead) throw error
        })
      },
      directory: {
        put: async (_owner, session) => {
          if (this.directoryFails) throw new Error('D1 is out of reach')
          this.directory.set(session.id, session)
        },
        drop: async (_owner, id) => {
          if (this.directoryFails) throw new Error('D1 is out of reach')
          this.directory.delete(id)
        },
      },
      erase: async () => {
        this.erased = true
      },
      ...this.overrides(),
    })
  }
}

// One random life of a session: commands, model words, tools, time, lost connections, evictions and
// crashes at every point of the write path, seen by several clients. Everything follows from the
// seed.

import type { Ack, Command } from '#protocol/commands'
import type { ServerFrame } from '#protocol/frames'
import { SessionModel } from '../../../client/sdk/session-model.ts'
import { BUILTIN_AGENTS } from '../../core/agents/agent.ts'
import { ModelError, type ModelErrorCode } from '../../core/session/model.ts'
import { RandomSource } from '../random-source.ts'
import { Crash } from './memory-sql.ts'
import type { ModelCall } from './scripted-model.ts'
import { ScriptedModel } from './scripted-model.ts'
import { OWNER, SESSION_ID, SessionHarness, TestSocket } from './session-harness.ts'

const CRITIC = { ...BUILTIN_AGENTS[0]!, name: 'critic', mode: 'ask', builtIn: false } as const

const WORDS = [
  'alpha ',
  'Ω mega ',
  '漢字 ',
  '😀',
  '**bold',
  '** ',
  '\n\n',
  '```',
  'x',
  'é',
  '  ',
  '. ',
]

const FAILURES: readonly ModelErrorCode[] = [
  'model_unavailable',
  'model_overloaded',
  'model_rate_limited',
  'model_context_overflow',
  'model_no_tools',
  'model_bad_request',
]
const OFFERED = ['tool', 'safe_tool', 'think'].map((name) => ({
  name,
  description: `What ${name} does.`,
  inputSchema: { type: 'object', properties: {} },
}))

/** What models call that nobody offered, and ids as servers make them. */
const HOSTILE_NAMES = [
  'multi_tool_use.parallel',
  '',
  'web fetch',
  'näme',
  'x'.repeat(130),
  '__proto__',
]
const HOSTILE_IDS = [
  '',
  `chatcmpl-tool-${'0123456789abcdef'.repeat(2)}`,
  'a.b',
  'a:b',
  '\ud83d',
  'pc1',
]

/** So small that a few messages fill it. */
const SMALL_WINDOW = 150

export const isSummary = ({ request }: ModelCall): boolean =>
  request.system === 'You summarise conversations.'

export class FuzzClient {
  readonly model: SessionModel
  socket: TestSocket | null = null
  delivered = 0
  constructor(tail: number) {
    this.model = new SessionModel(SESSION_ID, tail)
  }
  get undelivered(): number {
    return this.socket === null ? 0 : this.socket.frames.length - this.delivered
  }
}

export class FuzzSession {
  readonly random: RandomSource
  readonly harness: SessionHarness
  readonly clients: FuzzClient[] = []
  readonly operations: string[] = []
  /** Every command that was acknowledged, by any means, and how. */
  readonly acked = new Map<string, Ack>()
  /** Text in the order the model said it, up to the moment it was told to stop. */
  said = ''
  crashes = 0
  private readonly sent: Command[] = []
  private ids = 0
  private spoken = 0
  private canCrash = true
  /** Of something that was answered later than it was asked. */
  private failure: Error | null = null
  private hasPeople = false
  private hasMissions = false
  private isHostile = false
  /** People address another agent than the session's own. */
  private hasAgents = false

  private constructor(seed: number, harness: SessionHarness) {
    this.random = new RandomSource(seed)
    this.harness = harness
  }

  static async run(seed: number, steps: number): Promise<FuzzSession> {
    const fuzz = new FuzzSession(seed, await SessionHarness.create())
    // Half of all lives have no crash: there, not one character may be missing.
    fuzz.canCrash = fuzz.random.chance(0.5)
    if (fuzz.random.chance(0.5)) fuzz.harness.fallbacks = ['backup']
    if (fuzz.random.chance(0.3)) {
      fuzz.harness.model = new ScriptedModel('scripted', { window: SMALL_WINDOW })
    }
    // Not by the random source: the pinned seeds must go on meaning what they meant.
    if (seed % 2 === 0) fuzz.harness.tools.offered = OFFERED
    if (seed % 3 === 0) fuzz.askPeople()
    fuzz.isHostile = seed % 5 === 3
    fuzz.hasAgents = seed % 9 === 1 || seed % 9 === 4
    fuzz.harness.agents = [CRITIC]
    fuzz.hasMissions = seed % 7 === 1 || seed % 7 === 3
    for (let i = 0; i < 3; i++) fuzz.clients.push(new FuzzClient(1 + fuzz.random.below(30)))
    for (let step = 0; step < steps; step++) await fuzz.step()
    return fuzz
  }

  get sends(): string[] {
    return this.sent.flatMap((command) => (command.type === 'send' ? [command.id] : []))
  }

  /** What a model calls needs a person, or is a question to one. */
  private askPeople(): void {
    const { actions, questions } = this.harness.tools
    this.hasPeople = true
    actions.set('tool', { kind: 'tool', toolName: 'tool', arguments: '{}', readOnly: false })
    questions.set('question', [{ id: '1', text: 'Which?', options: ['a', 'b'] }])
  }

  private async step(): Promise<void> {
    const crash = this.canCrash ? 0.7 : 0
    const operation = this.random.weighted({
      send: 10,
      cancel: 3,
      continue: 1,
      queue: 4,
      configure: 1,
      clear: 0.3,
      compact: 0.7,
      model: 30,
      tool: 8,
      time: 12,
      connect: 6,
      disconnect: 3,
      deliver: 25,
      repeat: 2,
      hibernate: 2,
      late: 3,
      decide: this.hasPeople ? 8 : 0,
      answer: this.hasPeople ? 14 : 0,
      mission: this.hasMissions ? 8 : 0,
      alarm: this.hasMissions ? 16 : 0,
      crash,
      crash_before_commit: crash,
      crash_after_commit: crash,
      crash_after_broadcast: crash,
    })
    this.operations.push(operation)
    try {
      this.perform(operation)
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
    await this.harness.settle()
    if (this.harness.isDead) this.restart()
    await this.harness.settle()
  }

  private perform(operation: string): void {
    const { harness } = this
    switch (operation) {
      case 'model':
        return this.modelStep()
      case 'tool':
        return this.toolStep()
      case 'time':
        return harness.timers.advance(this.random.below(400))
      case 'alarm':
        harness.timers.advance(this.random.below(80_000))
        return void harness.core.alarm()
      case 'connect':
        return this.connect(this.random.pick(this.clients))
      case 'disconnect':
        return this.disconnect(this.random.pick(this.clients))
      case 'deliver':
        return this.deliver(this.random.pick(this.clients), this.random.below(6))
      case 'repeat':
        return this.repeat()
      case 'late':
        return this.speakLate()
      case 'hibernate':
        return this.hibernate()
      case 'crash':
        return harness.die()
      case 'crash_before_commit':
        harness.database.crashAt = 'before_commit'
        return
      case 'crash_after_commit':
        harness.database.crashAt = 'after_commit'
        return
      case 'crash_after_broadcast':
        for (const client of this.clients) {
          if (client.socket !== null) client.socket.onSend = () => harness.die()
        }
        return
      default:
        return this.submit(operation)
    }
  }

  private restart(): void {
    this.crashes += 1
    for (const client of this.clients) this.disconnect(client)
    this.harness.database.crashAt = null
    this.harness.wake()
  }

  private hibernate(): void {
    if (this.harness.core.folded.run.status === 'running' || this.harness.timers.size > 0) return
    const sockets = this.clients.flatMap(({ socket }) => (socket === null ? [] : [socket]))
    this.harness.hibernate(sockets)
  }

  connect(client: FuzzClient): void {
    if (client.socket !== null) this.disconnect(client)
    const socket = new TestSocket()
    client.socket = socket
    client.delivered = 0
    this.harness.core.subscribers.add(socket)
    this.up(socket, client.model.hello())
    for (const command of client.model.waiting()) this.up(socket, command)
  }

  private disconnect(client: FuzzClient): void {
    if (client.socket === null) return
    this.harness.core.subscribers.remove(client.socket)
    client.socket.closed ??= { code: 1006, reason: '' }
    client.socket = null
  }

  private up(socket: TestSocket, frame: unknown): void {
    if (socket.closed === null) {
      this.harness.receiver.receive(socket, OWNER, JSON.stringify(frame))
    }
  }

  /** Frames arrive in order, as many as the network lets through now. */
  deliver(client: FuzzClient, count: number): void {
    const { socket } = client
    if (socket === null) return
    for (let i = 0; i < count && client.undelivered > 0; i++) {
      const frame = socket.frames[client.delivered++]!
      this.noteAck(frame)
      client.model.receive(frame)
    }
    if (client.undelivered === 0 && socket.closed !== null) this.disconnect(client)
  }

  private noteAck(frame: ServerFrame): void {
    if (frame.type !== 'ack') return
    const { type: _type, id, ...ack } = frame
    this.noteAckOf(id, ack)
  }

  /** The same id has one answer, for ever. */
  private noteAckOf(id: string, ack: Ack): void {
    const earlier = this.acked.get(id)
    if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(ack)) {
      throw new Error(`${id} was answered twice, differently`)
    }
    this.acked.set(id, ack)
  }

  private submit(type: string): void {
    const client = this.random.pick(this.clients)
    const command = this.makeCommand(type)
    if (command === null) return
    client.model.submit(command)
    this.sent.push(command)
    // Sometimes the wire is cut right there: the command waits for the next hello.
    if (client.socket !== null && !this.random.chance(0.1)) this.up(client.socket, command)
  }

  private makeCommand(type: string): Command | null {
    const id = `id-${++this.ids}`
    const { random } = this
    const items = this.harness.core.folded.queue.items
    switch (type) {
      case 'send': {
        const delivery = random.pick(['queue', 'queue', 'steer', 'interrupt'] as const)
        const isAddressed = this.hasAgents && random.chance(0.5)
        const to = isAddressed ? { to: CRITIC.name } : {}
        return { type: 'send', id, text: `message ${id}`, ...to, delivery }
      }
      case 'cancel':
        return { type: 'cancel', id }
      case 'continue':
        return { type: 'continue', id }
      case 'clear':
        return { type: 'clear', id }
      case 'compact':
        return { type: 'compact', id }
      case 'decide': {
        const { decisions } = this.harness.core.folded
        if (decisions.length === 0) return null
        const { decisionId } = random.pick(decisions)
        const verdict = random.pick(['accept', 'accept', 'reject'] as const)
        // What has to be prepared is decided a little later: something else may come between.
        const edits = verdict === 'accept' && random.chance(0.4) ? { arguments: '{"a":2}' } : {}
        return { type, id, decisionId, verdict, ...('arguments' in edits ? { edits } : {}) }
      }
      case 'answer': {
        const { questions } = this.harness.core.folded
        if (questions.length === 0) return null
        const { questionId } = random.pick(questions)
        return { type, id, questionId, answers: { 1: random.pick(['a', 'b']) } }
      }
      case 'mission':
        return random.pick<Command>([
          { type: 'mission_set', id, text: `mission ${id}`, everyMinutes: 1, maxPrompts: 2 },
          { type: 'mission_set', id, text: `mission ${id}`, everyMinutes: 1 },
          { type: 'mission_pause', id },
          { type: 'mission_resume', id },
          { type: 'mission_resume', id },
          { type: 'mission_prompt', id },
          { type: 'mission_clear', id },
          { type: 'override_set', id, agentId: 'parley', override: { mode: 'ask' } },
        ])
      case 'configure':
        return { type, id, title: `title ${id}`, recovery: random.pick(['continue', 'stop']) }
      default: {
        if (items.length === 0) return null
        const { itemId } = random.pick(items)
        const before = random.chance(0.3) ? null : random.pick(items).itemId
        return random.pick<Command>([
          { type: 'queue_edit', id, itemId, text: `edited ${id}` },
          { type: 'queue_remove', id, itemId },
          { type: 'queue_move', id, itemId, before },
          { type: 'queue_send_now', id, itemId },
        ])
      }
    }
  }

  /** The same command again, by another route: no second effect. */
  private repeat(): void {
    if (this.sent.length === 0) return
    const command = this.random.pick(this.sent)
    const wasAcked = this.acked.has(command.id)
    const result = this.harness.core.command(OWNER, command, 'user')
    if (!(result instanceof Promise)) return this.noteRepeated(command.id, result, wasAcked)
    // It is prepared first: its answer comes later, or never where the object dies meanwhile.
    void result.then(
      (late) => {
        try {
          this.noteRepeated(command.id, late, wasAcked)
        } catch (error) {
          this.failure ??= error as Error
        }
      },
      (error: unknown) => {
        if (!(error instanceof Crash)) this.failure ??= error as Error
      },
    )
  }

  private noteRepeated(
    id: string,
    result: { ok: true; value: Ack } | { ok: false },
    wasAcked: boolean,
  ): void {
    if (result.ok) this.noteAckOf(id, result.value)
    else if (wasAcked) throw new Error(`${id} was refused at last`)
  }

  /** A model and a tool that did not notice the cancel: nothing of theirs may reach the log. */
  private speakLate(): void {
    const call = this.calls.findLast(({ signal }) => signal.aborted)
    call?.emitLate({ type: 'text', text: 'too late ' })
    call?.emitLate({ type: 'tool_call', id: 'late', toolName: 'tool', arguments: '{}' })
    const run = this.harness.tools.runs.findLast(({ context }) => context.signal.aborted)
    run?.context.output('too late')
    run?.settle({ ok: true, result: 'too late' })
  }

  get calls(): ModelCall[] {
    return [...this.harness.model.calls, ...this.harness.backup.calls]
  }

  private modelStep(): void {
    const call = this.calls.find((one) => !one.settled)
    if (call === undefined) return
    const { random } = this
    // Numbered, so that nothing repeats: a repetition at a seam is cut, and would look like a loss.
    const picked = Array.from({ length: 1 + random.below(6) }, () => random.pick(WORDS))
    const words = `${++this.spoken}.${picked.join('')}`
    switch (
      random.weighted({
        text: 8,
        thinking: 3,
        input: 2,
        call: this.hasPeople ? 8 : 2,
        think: 1,
        end: 1,
        finish: 3,
        fail: 1.2,
      })
    ) {
      case 'text':
        if (!isSummary(call)) this.said += words
        return void call.text(words)
      case 'thinking':
        return void call.emit({ type: 'thinking', text: words })
      case 'input':
        return void call.emit({ type: 'tool_input', id: 'pc1', toolName: 'tool', text: '{"a":' })
      case 'call': {
        const names = [
          'tool',
          'safe_tool',
          ...(this.hasPeople ? ['question', 'question'] : []),
          ...(this.hasMissions ? ['mission_done'] : []),
        ]
        const toolName = random.pick(names)
        if (this.isHostile && this.spoken % 2 === 0) return this.callNonsense(call)
        return void call.emit({ type: 'tool_call', id: 'pc1', toolName, arguments: '{"a":1}' })
      }
      case 'think': {
        const thought = JSON.stringify({ thought: words })
        call.emit({ type: 'tool_input', id: 'pt', toolName: 'think', text: thought.slice(0, 20) })
        return void call.emit({
          type: 'tool_call',
          id: 'pt',
          toolName: 'think',
          arguments: thought,
        })
      }
      case 'end':
        return void call.emit({ type: 'part_end' })
      case 'finish':
        return call.finish()
      case 'fail':
        return call.fail(new ModelError(random.pick(FAILURES), 'gone'))
    }
  }

  private callNonsense(call: ModelCall): void {
    const toolName = HOSTILE_NAMES[(this.spoken / 2) % HOSTILE_NAMES.length]!
    const id = HOSTILE_IDS[Math.floor(this.spoken / 4) % HOSTILE_IDS.length]!
    call.emit({ type: 'tool_call', id, toolName, arguments: '{"a":1}' })
  }

  private toolStep(): void {
    const { open } = this.harness.tools
    if (open.length === 0) return
    const run = this.random.pick(open)
    if (this.random.chance(0.5)) return run.context.output(this.random.pick(WORDS))
    if (this.random.chance(0.4)) return run.settle({ ok: true, result: 'a result' })
    const code = this.random.pick(['tool_error', 'tool_denied', 'tool_denied'] as const)
    run.settle({ ok: false, error: { code, message: 'it did not work' } })
  }

  /** Everyone connected, everything delivered, every older page read. */
  async converge(): Promise<void> {
    if (this.failure !== null) throw this.failure
    this.harness.database.crashAt = null
    for (const { socket } of this.clients) if (socket !== null) socket.onSend = () => {}
    for (const client of this.clients) this.connect(client)
    await this.harness.settle()
    // Live text waits for its tick: let it out, so that both sides show the same.
    this.harness.timers.advance(50)
    await this.harness.settle()
    for (const client of this.clients) {
      this.deliver(client, Number.POSITIVE_INFINITY)
      // Told to resync: that is one more hello.
      if (client.socket === null) {
        this.connect(client)
        this.deliver(client, Number.POSITIVE_INFINITY)
      }
      this.readOlder(client)
    }
  }

  private readOlder(client: FuzzClient): void {
    for (
      let before = client.model.olderBefore;
      before !== null;
      before = client.model.olderBefore
    ) {
      const limit = 1 + this.random.below(20)
      const page = this.harness.core.views.events(OWNER, { before, limit, deltas: false })
      if (!page.ok) throw new Error('no page')
      client.model.prepend(before, page.value)
    }
  }
}

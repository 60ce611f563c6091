// The whole engine over real HTTP between two providers, Anthropic's API and chat completions, one of
// which fails: when, how and how often is the test's. The clock is the test's too: nothing stalls
// because the machine is slow.

import type { EventOf, EventType } from '#protocol/events'
import type { Model, ModelPart, ToolSpec } from '../../core/session/model.ts'
import type { ToolBox, ToolRegistry } from '../../core/tools/tool.ts'
import { resolveModels } from '../../models/resolve.ts'
import { OWNER, SESSION_ID, SessionHarness } from './session-harness.ts'
import type { AnthropicBody } from './strict-anthropic-rules.ts'
import { startStrictAnthropic, type StrictAnthropic } from './strict-anthropic.ts'
import { startStrictOpenAi, type ChatBody, type StrictOpenAi } from './strict-openai.ts'
import type { Reply } from './strict-reply.ts'

export type Api = 'openai' | 'anthropic'

/** A request of either API, as far as a script looks at it. */
export type Asked = {
  wants: 'summary' | 'fox' | 'other'
  hasTools: boolean
  /** Since the person's last message: what the assistant said, and how many results it was given. */
  said: string
  results: number
}

export type Fault = (asked: Asked, index: number) => Reply

export const PREAMBLE = 'I will note the fox down before I tell you about it. '
export const ANSWER = 'The quick brown fox jumps over the lazy dog, and then it sleeps.'
export const QUESTION = 'Tell me about the fox.'
const SUMMARY = 'They spoke about animals.'
const NOTE_CALL = { id: 'call_note', name: 'note', arguments: '{"what":"the fox"}', chunks: 4 }
/** Longer than any stall limit, so that one step of the clock is enough. */
const STALL_MS = 90_000
const STEP_MS = 2

const TOOL: ToolSpec = {
  name: 'note',
  description: 'Note something down. It is noted as often as this is called.',
  inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
}

/** What an able model says next: notes the fox once, and goes on where the words end. */
export function goOn({ wants, hasTools, said, results }: Asked): Reply {
  if (wants === 'other') return [{ text: 'Well, well.' }, { finish: 'stop' }]
  if (wants === 'summary') return [{ text: SUMMARY }, { finish: 'stop' }]
  const preamble = restOf(PREAMBLE, said)
  if (results === 0 && hasTools) {
    const words = preamble === '' ? [] : [{ text: preamble }]
    return [
      { reasoning: 'First a note.' },
      ...words,
      { toolCall: NOTE_CALL },
      { finish: 'tool_calls' },
    ]
  }
  const answered = said.slice(PREAMBLE.length)
  // Without tools it is all one answer, and nobody repeats what a tool has come between.
  const rest = results === 0 ? restOf(PREAMBLE + ANSWER, said) : restOf(ANSWER, answered)
  return [{ text: rest }, { finish: 'stop' }]
}

/** What is left of a script, and its last words once more, as models do. */
function restOf(script: string, said: string): string {
  if (said === '' || !script.startsWith(said)) return script
  return said.length === script.length ? '' : script.slice(Math.max(0, said.length - 8))
}

export class FaultStage {
  readonly openAi: StrictOpenAi
  readonly anthropic: StrictAnthropic
  fault: Fault = goOn
  /** Which requests reached the model that fails, and the one that does not. */
  readonly asked: { first: Asked[]; second: Asked[] } = { first: [], second: [] }
  private gates = 0

  private constructor(openAi: StrictOpenAi, anthropic: StrictAnthropic) {
    this.openAi = openAi
    this.anthropic = anthropic
    openAi.setScript((body) => this.answer(body.model, readChat(body)))
    anthropic.setScript((body) => this.answer(body.model, readMessages(body)))
  }

  static async start(): Promise<FaultStage> {
    return new FaultStage(await startStrictOpenAi(), await startStrictAnthropic())
  }

  async close(): Promise<void> {
    await this.openAi.close()
    await this.anthropic.close()
  }

  get violations(): unknown[] {
    return [...this.openAi.violations, ...this.anthropic.violations]
  }

  /** A session whose first model speaks this API, and whose second speaks the other one. */
  async open(api: Api): Promise<FaultedSession> {
    this.asked.first.length = 0
    this.asked.second.length = 0
    this.fault = goOn
    const models = resolveModels({
      OPENAI_BASE_URL: this.openAi.url,
      OPENAI_MODEL: api === 'openai' ? 'first' : 'second',
      ANTHROPIC_BASE_URL: this.anthropic.url,
      ANTHROPIC_API_KEY: 'test-key',
      ANTHROPIC_MODEL: api === 'openai' ? 'second' : 'first',
      ANTHROPIC_THINKING_TOKENS: '2048',
      PARLEY_FALLBACK: 'second',
    })
    const session = new FaultedSession(models)
    await session.begin()
    return session
  }

  /** A gate that no other reply waits at. */
  newGate(api: Api): { name: string; reached: Promise<void>; release: () => void } {
    const name = `fault-${++this.gates}`
    const { reached, release } = (api === 'openai' ? this.openAi : this.anthropic).gate(name)
    return { name, reached, release }
  }

  private answer(model: string, asked: Asked): Reply {
    if (model === 'second') {
      this.asked.second.push(asked)
      return goOn(asked)
    }
    return this.fault(asked, this.asked.first.push(asked) - 1)
  }
}

export class FaultedSession {
  readonly harness: SessionHarness
  /** Arguments of the calls that were really run. */
  readonly noted: string[] = []
  /** How long the engine meant to wait before each try, in ms. */
  readonly waits: number[] = []
  private clock = 1_000_000
  private parts: ModelPart[] = []
  private readonly watchers = new Set<() => void>()

  constructor(models: ReturnType<typeof resolveModels>) {
    this.harness = new SessionHarness({
      models: { ...models, get: (id) => this.watch(models.get(id)) },
      tools: this.toolBox(),
      now: () => this.clock,
      stallMs: STALL_MS,
      firstByteMs: STALL_MS,
      timers: {
        set: (ms, run) => {
          this.waits.push(ms)
          return setTimeout(run, Math.min(ms, STEP_MS))
        },
        clear: (handle) => clearTimeout(handle as NodeJS.Timeout),
      },
    })
  }

  async begin(): Promise<void> {
    const { harness } = this
    await harness.core.create({
      sessionId: SESSION_ID,
      owner: OWNER,
      agent: 'parley',
      model: 'first',
    })
    harness.connect().onSend = () => this.changed()
  }

  /** Sends, and resolves when the run that it started is over. */
  async send(text: string): Promise<void> {
    const ended = this.of('run_done').length
    this.harness.command({ type: 'send', text })
    await this.until(() => this.of('run_done').length > ended)
  }

  /** Resolves when the engine has read this much of the reply that is being streamed now. */
  heard(text: string): Promise<void> {
    const isHeard = (): boolean =>
      this.parts
        .map((part) => ('text' in part ? part.text : ''))
        .join('')
        .endsWith(text)
    return this.until(isHeard)
  }

  /** So much time passes that whoever is silent now has been silent for too long. */
  async stall(): Promise<void> {
    this.clock += STALL_MS
    await this.harness.core.alarm()
  }

  of<T extends EventType>(type: T): EventOf<T>[] {
    return this.harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]
  }

  /** Everything that was said since the question. */
  get text(): string {
    const events = this.harness.events()
    const from = events.findLastIndex(
      (event) => event.type === 'user_message' && event.text === QUESTION,
    )
    return events
      .slice(from)
      .flatMap((event) => (event.type === 'text_done' ? [event.text] : []))
      .join('')
  }

  private until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isSo()) return
        this.watchers.delete(check)
        resolve()
      }
      this.watchers.add(check)
      check()
    })
  }

  private changed(): void {
    for (const check of this.watchers) check()
  }

  private watch(model: Model | null): Model | null {
    if (model === null) return null
    return {
      id: model.id,
      info: model.info,
      stream: (request, signal, emit) => {
        this.parts = []
        return model.stream(request, signal, (part) => {
          this.parts.push(part)
          emit(part)
          this.changed()
        })
      },
    }
  }

  private toolBox(): ToolBox {
    const registry: ToolRegistry = {
      specs: () => [TOOL],
      isRepeatable: () => false,
      prepare: (call) => ({
        do: 'run',
        action: null,
        preview: () => Promise.resolve({}),
        run: () => {
          this.noted.push(call.arguments)
          return Promise.resolve({ ok: true, result: 'noted' })
        },
      }),
    }
    return {
      isRepeatable: () => false,
      inspect: () => ({ problem: 'nothing is edited here' }),
      open: () => Promise.resolve({ registry, warnings: [] }),
    }
  }
}

/** One thing that somebody said, in either API. */
type Said = { role: string; text: string; isResult: boolean }

/** Our own notes are the person's to a provider, and end nothing. */
const isNote = (text: string): boolean => /^\[(?:Continue|The previous)[^]*\]$/.test(text)

function toAsked(all: readonly Said[], hasTools: boolean): Asked {
  const isPerson = ({ role, text, isResult }: Said): boolean =>
    role === 'user' && !isResult && !isNote(text)
  const from = all.findLastIndex(isPerson)
  const words = all[from]?.text ?? ''
  const since = all.slice(from + 1)
  return {
    wants: words.startsWith('Summarise') ? 'summary' : words.includes(QUESTION) ? 'fox' : 'other',
    hasTools,
    said: since.flatMap(({ role, text }) => (role === 'assistant' ? [text] : [])).join(''),
    results: since.filter(({ isResult }) => isResult).length,
  }
}

function readChat({ messages, tools }: ChatBody): Asked {
  const all = messages.map(({ role, content }) => ({
    role,
    text:
      typeof content === 'string'
        ? content
        : (content ?? []).map(({ text }) => text ?? '').join(''),
    isResult: role === 'tool',
  }))
  return toAsked(all, (tools?.length ?? 0) > 0)
}

function readMessages({ messages, tools, tool_choice }: AnthropicBody): Asked {
  const all = messages.flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    return blocks.map((block) => ({
      role,
      text: 'text' in block && typeof block.text === 'string' ? block.text : '',
      isResult: block.type !== 'text',
    }))
  })
  return toAsked(
    all.map((one) => (one.role === 'user' ? one : { ...one, isResult: false })),
    (tools?.length ?? 0) > 0 && tool_choice?.type !== 'none',
  )
}

// One run: model call, tools, model call, … until the model has nothing more to call. The loop
// only reports; whether a report still counts is decided by the write path, so a late model or
// tool cannot touch a run that is over.

import type { EventBody, Usage } from '#protocol/events'
import { STEPS_PER_RUN, TEXT_PART_BYTES, TOOL_CALLS_PER_RUN } from '#protocol/limits'
import { jsonBytes } from '#protocol/text'
import type { ToolOutcome, ToolRegistry } from '../tools/tool.ts'
import { ModelError, type Model, type ModelPart, type ModelRequest } from './model.ts'
import type { ResponseWriter } from './response-writer.ts'
import { ThoughtReader } from './thought.ts'

/** Longest tool name and failure text that are kept: both come from outside. */
const TOOL_NAME_CHARS = 128
const FAILURE_CHARS = 2000

/** `refused`: answered without being run. */
export type ToolCall = {
  callId: string
  toolName: string
  arguments: string
  refused?: ToolOutcome
}

export type RunIo = {
  model: Model
  tools: ToolRegistry
  writer: ResponseWriter
  now: () => number
  /** Let waiting steers in. The response to write to; null when the run is over. */
  beginStep: () => string | null
  request: () => ModelRequest
  /** Append events of this run. False: the run is over. */
  emit: (events: EventBody[]) => boolean
  addUsage: (usage: Usage) => void
  finish: (
    outcome: 'done' | 'failed' | 'step_limit',
    stopReason: string,
    error?: { code: string; message: string },
  ) => void
  newCallId: (offered: string) => string
  /** What earlier attempts of this run have used of its limits. */
  used: { steps: number; calls: number }
}

/** Runs until the run is over. `unfinished`: calls of an earlier attempt that are safe to repeat. */
export async function runSteps(
  io: RunIo,
  signal: AbortSignal,
  unfinished: readonly ToolCall[],
): Promise<void> {
  try {
    await runTools(io, signal, unfinished, unfinished.length)
    await takeSteps(io, signal)
  } catch (error) {
    // A cancel has logged the end already; anything else is this run's failure.
    if (signal.aborted) return
    io.finish('failed', 'error', describeFailure(error))
  }
}

async function takeSteps(io: RunIo, signal: AbortSignal): Promise<void> {
  let called = io.used.calls
  for (let step = io.used.steps + 1; step <= STEPS_PER_RUN; step++) {
    const responseId = io.beginStep()
    if (responseId === null) return
    io.writer.beginStep(responseId)
    const reader = new StepReader(io)
    // Steps follow each other: the next call needs the results of this one.
    // oxlint-disable-next-line no-await-in-loop
    const finish = await io.model.stream(io.request(), signal, (part) => reader.read(part))
    if (signal.aborted) return
    io.writer.endPart()
    io.addUsage(finish.usage)
    const isCut = finish.stopReason === 'length'
    if (reader.calls.length > 0) reader.refuseAnnounced()
    if (reader.calls.length === 0) {
      const isAnnounced = finish.stopReason === 'tool_calls' || reader.announced.size > 0
      if (isAnnounced && !isCut && !reader.thought) {
        throw new ModelError('model_malformed', 'The model announced a tool call but sent none.')
      }
      if (!reader.thought) return io.finish('done', finish.stopReason)
    }
    called += reader.calls.length
    // oxlint-disable-next-line no-await-in-loop
    await runTools(io, signal, reader.calls, called)
    if (signal.aborted) return
  }
  io.finish('step_limit', 'step_limit')
}

/** Reads one provider call's stream into the writer and collects its tool calls. */
class StepReader {
  readonly calls: ToolCall[] = []
  /** A `think` call was made: the model is called again, as after any tool. */
  thought = false
  /** Calls whose arguments have begun and whose end has not come, by provider id. */
  readonly announced = new Map<string, { callId: string; toolName: string }>()
  private readonly io: RunIo
  private readonly callIds = new Map<string, string>()
  private thinking: { providerId: string; reader: ThoughtReader } | null = null

  constructor(io: RunIo) {
    this.io = io
  }

  read(part: ModelPart): void {
    const { writer } = this.io
    switch (part.type) {
      case 'text':
      case 'thinking':
        return writer.text(part.type, part.text)
      case 'part_end':
        return writer.endPart()
      case 'tool_input':
        if (part.toolName === 'think') return this.readThought(part.id, part.text)
        return this.readInput(part)
      case 'tool_call':
        return this.readCall(part)
    }
  }

  /** A call that was shown and never came is answered, or it would be shown for ever. */
  refuseAnnounced(): void {
    for (const { callId, toolName } of this.announced.values()) {
      const message = 'The call was begun and never completed.'
      const call = toToolCall(callId, toolName, '{}')
      this.io.writer.startTool(call.callId, call.toolName, call.arguments)
      this.calls.push({ ...call, refused: { ok: false, error: { code: 'tool_error', message } } })
    }
  }

  private readInput({ id, toolName, text }: Extract<ModelPart, { type: 'tool_input' }>): void {
    const callId = this.callIdOf(id)
    this.announced.set(id, { callId, toolName })
    this.io.writer.toolInput(callId, toolName, text)
  }

  private readThought(providerId: string, text: string): void {
    if (this.thinking?.providerId !== providerId) {
      this.thought = true
      this.thinking = { providerId, reader: new ThoughtReader() }
      this.io.writer.startThought(this.callIdOf(providerId))
    }
    this.io.writer.text('thinking', this.thinking.reader.push(text))
  }

  private readCall({
    id,
    toolName,
    arguments: args,
  }: Extract<ModelPart, { type: 'tool_call' }>): void {
    const { writer } = this.io
    if (toolName === 'think') {
      if (this.thinking?.providerId !== id) this.readThought(id, args)
      this.thinking = null
      this.callIds.delete(id)
      return writer.endPart()
    }
    const callId = this.callIdOf(id)
    // The same provider id again is another call: some servers number from zero each time.
    this.callIds.delete(id)
    this.announced.delete(id)
    const call = toToolCall(callId, toolName, args.toWellFormed())
    writer.startTool(call.callId, call.toolName, call.arguments)
    this.calls.push(call)
  }

  private callIdOf(providerId: string): string {
    let callId = this.callIds.get(providerId)
    callId ??= this.io.newCallId(providerId)
    this.callIds.set(providerId, callId)
    return callId
  }
}

/** A model's output is hostile: a call that does not fit into an event is answered, not run. */
function toToolCall(callId: string, toolName: string, args: string): ToolCall {
  const name = toolName.slice(0, TOOL_NAME_CHARS).toWellFormed()
  if (jsonBytes(args) <= TEXT_PART_BYTES) return { callId, toolName: name, arguments: args }
  const message = `The arguments are larger than ${TEXT_PART_BYTES} bytes.`
  return {
    callId,
    toolName: name,
    arguments: '{}',
    refused: { ok: false, error: { code: 'tool_invalid_input', message } },
  }
}

async function runTools(
  io: RunIo,
  signal: AbortSignal,
  calls: readonly ToolCall[],
  calledSoFar: number,
): Promise<void> {
  const allowed = TOOL_CALLS_PER_RUN - (calledSoFar - calls.length)
  await Promise.all(calls.map((call, index) => runTool(io, signal, call, index < allowed)))
}

async function runTool(
  io: RunIo,
  signal: AbortSignal,
  call: ToolCall,
  allowed: boolean,
): Promise<void> {
  const startedAt = io.now()
  let isSettled = false
  const output = (text: string, stream?: 'stdout' | 'stderr'): void => {
    // A delta after the result would differ between live and replay.
    if (!isSettled) io.writer.toolOutput(call.callId, text, stream)
  }
  const outcome = allowed
    ? (call.refused ?? (await io.tools.execute(call, { signal, output, now: io.now })))
    : tooManyCalls()
  isSettled = true
  if (signal.aborted) return
  io.writer.endTool(call.callId)
  const durationMs = Math.max(0, io.now() - startedAt)
  io.emit([
    { type: 'tool_result', callId: call.callId, toolName: call.toolName, ...outcome, durationMs },
  ])
}

const tooManyCalls = (): ToolOutcome => ({
  ok: false,
  error: {
    code: 'rate_limit_tools',
    message: `This run has used its ${TOOL_CALLS_PER_RUN} tool calls. Answer with what you have.`,
  },
})

function describeFailure(error: unknown): { code: string; message: string } {
  if (error instanceof ModelError) {
    return { code: error.code, message: error.message.slice(0, FAILURE_CHARS).toWellFormed() }
  }
  // Anything else is a bug of ours: people get its kind, never its inside.
  return { code: 'internal', message: 'Something went wrong in this run.' }
}

// One run: model call, tools, model call, … until the model has nothing more to call. The loop
// only reports; whether a report still counts is decided by the write path, so a late model or
// tool cannot touch a run that is over.

import type { EventOf, RunKind } from '#protocol/events'
import { STEPS_PER_RUN, TEXT_PART_BYTES } from '#protocol/limits'
import { jsonBytes } from '#protocol/text'
import { estimateRequest, estimateText } from './context.ts'
import type { ModelCaller } from './model-caller.ts'
import { ModelError, type ModelFinish, type ModelPart, type ModelRequest } from './model.ts'
import type { RunContext } from './run-context.ts'
import { RunFailure } from './run-failure.ts'
import { SeamCutter } from './seam.ts'
import { ThoughtReader } from './thought.ts'
import type { ToolCall, ToolCallIo, ToolCalls } from './tool-calls.ts'

/** Longest tool name and failure text that are kept: both come from outside. */
const TOOL_NAME_CHARS = 128
const FAILURE_CHARS = 2000
/** A signature is opaque and comes from outside: a longer one is not a signature. */
const SIGNATURE_CHARS = 65_536

export type RunIo = ToolCallIo & {
  kind: RunKind
  caller: ModelCaller
  context: RunContext
  /** Let waiting steers in. The response to write to; null when the run is over. */
  beginStep: () => string | null
  request: () => ModelRequest
  /** The text that the next words follow directly, if they do. */
  seam: () => string
  warn: (code: string, message: string) => void
  finish: (
    outcome: 'done' | 'failed' | 'step_limit',
    stopReason: string,
    last?: { error?: { code: string; message: string }; context?: EventOf<'context_usage'> },
  ) => void
  /** True: calls wait for a person. The loop ends here; their answers start it again, from the log. */
  park: () => boolean
  newCallId: (offered: string) => string
  /** Steps that earlier attempts of this run have taken. */
  usedSteps: number
}

/**
 * Runs until the run is over, or waits for a person. `unfinished`: calls that a person has said yes
 * to, or that an earlier attempt began and that are safe to repeat.
 */
export async function runSteps(
  io: RunIo,
  calls: ToolCalls,
  signal: AbortSignal,
  unfinished: readonly ToolCall[],
): Promise<void> {
  try {
    if (io.kind === 'compact') return await compactOnly(io, signal)
    calls.resume(unfinished)
    if (await calls.drain(() => signal.aborted || io.park())) return
    await takeSteps(io, calls, signal)
  } catch (error) {
    // A cancel has logged the end already; anything else is this run's failure.
    if (signal.aborted) return
    io.finish('failed', 'error', { error: describeFailure(error) })
  }
}

/** A run that only makes room in the context. */
async function compactOnly(io: RunIo, signal: AbortSignal): Promise<void> {
  io.caller.begin()
  const isShorter = await io.context.compact(signal, true)
  if (signal.aborted) return
  if (!isShorter) io.warn('nothing_to_compact', 'There is nothing to summarise yet.')
  io.finish('done', 'stop', { context: io.context.measure() })
}

async function takeSteps(io: RunIo, calls: ToolCalls, signal: AbortSignal): Promise<void> {
  io.caller.begin()
  for (let step = io.usedSteps + 1; step <= STEPS_PER_RUN; step++) {
    const responseId = io.beginStep()
    if (responseId === null) return
    io.writer.beginStep(responseId)
    // Steps follow each other: the next call needs the results of this one.
    // oxlint-disable-next-line no-await-in-loop
    if (io.context.isFull()) await io.context.makeRoom(signal)
    // oxlint-disable-next-line no-await-in-loop
    const { reader, finish, context } = await takeStep(io, signal)
    if (signal.aborted) return
    const isCut = finish.stopReason === 'length'
    if (reader.calls.length > 0) reader.refuseAnnounced()
    if (reader.calls.length === 0) {
      const isAnnounced = finish.stopReason === 'tool_calls' || reader.announced.size > 0
      if (isAnnounced && !isCut && !reader.thought) {
        throw new ModelError('model_malformed', 'The model announced a tool call but sent none.')
      }
      // Cut in the middle of a thought, too: whoever has no end must not be asked again by itself.
      if (!reader.thought || isCut) return io.finish('done', finish.stopReason, { context })
    }
    io.emit([context])
    calls.start(reader.calls)
    // oxlint-disable-next-line no-await-in-loop
    if (await calls.drain(() => signal.aborted || io.park())) return
  }
  io.finish('step_limit', 'step_limit')
}

async function takeStep(io: RunIo, signal: AbortSignal) {
  let reader = new StepReader(io)
  let estimate = 0
  const finish = await io.caller.call(
    {
      request: () => io.context.request(),
      begin: (request) => {
        io.context.tellShortened()
        const started = new StepReader(io)
        reader = started
        estimate = estimateRequest(request)
        return (part) => started.read(part)
      },
      check: (finish) => reader.check(finish),
      broken: () => {
        reader.end()
        io.writer.breakStep()
      },
      compact: () => io.context.afterRefusal(signal),
    },
    signal,
  )
  if (!signal.aborted) {
    reader.end()
    io.writer.endPart()
  }
  return { reader, finish, context: io.context.afterStep(finish, estimate, reader.said) }
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
  private readonly seam: SeamCutter
  /** Tokens of what was said and called, by our own count. */
  said = 0

  constructor(io: RunIo) {
    this.io = io
    this.seam = new SeamCutter(io.seam())
  }

  read(part: ModelPart): void {
    const { writer } = this.io
    if (part.type === 'text') return this.readText(part.text)
    if (part.type !== 'thinking') this.end()
    switch (part.type) {
      case 'thinking':
        return writer.text('thinking', part.text)
      case 'part_end': {
        const { signature } = toProof(part.signature)
        return signature === undefined ? writer.endPart() : writer.endThought(signature)
      }
      case 'activity':
        return
      case 'tool_input':
        if (part.toolName === 'think') return this.readThought(part.id, part.text)
        return this.readInput(part)
      case 'tool_call':
        return this.readCall(part)
    }
  }

  private readText(text: string): void {
    this.said += estimateText(text)
    const shown = this.seam.push(text)
    if (shown !== '') this.io.writer.text('text', shown)
  }

  /** Nothing said, called or counted in answer to a person: a stream that broke and does not know. */
  check({ stopReason, usage }: ModelFinish): void {
    if (this.said > 0 || this.thought || this.announced.size > 0) return
    if (stopReason === 'length' || stopReason === 'content_filter') return
    if ((usage?.outputTokens ?? 0) > 0 || this.io.request().messages.at(-1)?.role === 'tool') return
    throw new ModelError('model_malformed', 'The model provider ended its answer before a word.')
  }

  /** Text that was held back at the seam, without what it repeats. */
  end(): void {
    const shown = this.seam.end()
    if (shown !== '') this.io.writer.text('text', shown)
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
    signature,
  }: Extract<ModelPart, { type: 'tool_call' }>): void {
    const { writer } = this.io
    this.said += estimateText(args)
    if (toolName === 'think') {
      if (this.thinking?.providerId !== id) this.readThought(id, args)
      this.thinking = null
      this.callIds.delete(id)
      return writer.endPart(toProof(signature))
    }
    const callId = this.callIdOf(id)
    // The same provider id again is another call: some servers number from zero each time.
    this.callIds.delete(id)
    this.announced.delete(id)
    const call = toToolCall(callId, toolName, args.toWellFormed())
    writer.startTool(call.callId, call.toolName, call.arguments, toProof(signature))
    this.calls.push(call)
  }

  private callIdOf(providerId: string): string {
    let callId = this.callIds.get(providerId)
    callId ??= this.io.newCallId(providerId)
    this.callIds.set(providerId, callId)
    return callId
  }
}

const toProof = (signature = ''): { signature?: string } =>
  signature === '' || signature.length > SIGNATURE_CHARS ? {} : { signature }

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

export function describeFailure(error: unknown): { code: string; message: string } {
  if (error instanceof ModelError || error instanceof RunFailure) {
    return { code: error.code, message: error.message.slice(0, FAILURE_CHARS).toWellFormed() }
  }
  // Anything else is a bug of ours: people get its kind, never its inside.
  return { code: 'internal', message: 'Something went wrong in this run.' }
}

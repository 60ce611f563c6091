// From the parts of the provider packages to ours.

import type { ModelFinish, ModelPart, StopReason } from '../core/session/model.ts'
import { malformed, toFinishError } from './errors.ts'
import type { StreamPart } from './provider-types.ts'
import type { ThinkTags } from './think-tags.ts'

type Finish = Extract<StreamPart, { type: 'finish' }>
type ToolCallPart = Extract<ModelPart, { type: 'tool_call' }>

export class StreamParts {
  /** What `emit` threw while bytes were read: a fault of ours, not of the provider. */
  thrown: Error | null = null
  private readonly push: (part: ModelPart) => void
  private readonly signal: AbortSignal
  private readonly names = new Map<string, string>()
  /** Held back to the finish: the arguments of a stream that was cut only look complete. */
  private readonly calls: ToolCallPart[] = []
  private isOpen = false
  /** Of the thought that is being streamed. */
  private signature: string | null = null
  private readonly tags: ThinkTags | null

  constructor(push: (part: ModelPart) => void, signal: AbortSignal, tags: ThinkTags | null) {
    this.push = push
    this.signal = signal
    this.tags = tags
  }

  addText(type: 'text' | 'thinking', text: string): void {
    if (this.tags === null) return this.say(type, text)
    if (type === 'thinking') {
      this.tags.end(this.say)
      return this.say(type, text)
    }
    // What is held back is a sign of life all the same.
    if (!this.tags.isOver) this.addActivity()
    this.tags.push(text, this.say)
  }

  private readonly say = (type: 'text' | 'thinking', text: string): void => {
    this.isOpen = true
    this.emit({ type, text })
  }

  /** Bytes arrived that have become no part, or not yet. */
  addActivity(): void {
    this.emit({ type: 'activity' })
  }

  accept(part: StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        return part.delta === '' ? undefined : this.addText('text', part.delta)
      case 'reasoning-start':
        this.endPart()
        return this.addSignature(part.providerMetadata)
      case 'reasoning-delta':
        this.addSignature(part.providerMetadata)
        return part.delta === '' ? undefined : this.addText('thinking', part.delta)
      case 'text-end':
      case 'reasoning-end':
        return this.endPart()
      case 'tool-input-start':
        this.names.set(part.id, part.toolName)
        return this.addInput(part.id, '')
      case 'tool-input-delta':
        return this.addInput(part.id, part.delta)
      case 'tool-call':
        this.calls.push({
          type: 'tool_call',
          id: part.toolCallId,
          toolName: part.toolName,
          arguments: part.input,
          ...toSignature(part.providerMetadata),
        })
        return
      default:
      // Metadata, sources and files: nothing that a transcript of ours has a place for.
    }
  }

  finish({ finishReason, usage }: Finish): ModelFinish {
    // The Anthropic package finishes a stream that was cut; its calls may be half of what they are.
    if (finishReason.unified === 'interrupted') throw malformed()
    const failure = toFinishError(finishReason.raw ?? '')
    if (failure !== null) throw failure
    this.endPart()
    for (const call of this.calls) this.emit(call)
    const { inputTokens, outputTokens } = usage
    const isKnown = inputTokens.total !== undefined || outputTokens.total !== undefined
    return {
      stopReason: toStopReason(finishReason.unified, this.calls.length > 0),
      usage: isKnown
        ? {
            inputTokens: inputTokens.total ?? 0,
            outputTokens: outputTokens.total ?? 0,
            cachedTokens: inputTokens.cacheRead ?? 0,
            ...(inputTokens.cacheWrite && { cacheWriteTokens: inputTokens.cacheWrite }),
          }
        : null,
    }
  }

  private emit(part: ModelPart): void {
    if (this.signal.aborted) return
    try {
      this.push(part)
    } catch (error) {
      this.thrown = error as Error
      throw error
    }
  }

  private addInput(id: string, text: string): void {
    this.tags?.end(this.say)
    this.isOpen = false
    this.emit({ type: 'tool_input', id, toolName: this.names.get(id) ?? '', text })
  }

  private addSignature(metadata: ProviderMetadata): void {
    const { signature, redactedData } = metadata?.anthropic ?? {}
    if (typeof signature === 'string') this.signature = (this.signature ?? '') + signature
    if (typeof redactedData === 'string') this.signature = toRedactedSignature(redactedData)
  }

  private endPart(): void {
    this.tags?.end(this.say)
    const { signature } = this
    this.signature = null
    // A thought may be all signature: redacted, or its text left out. It has to go back as well.
    if (signature !== null && !this.isOpen) this.emit({ type: 'thinking', text: '' })
    if (signature !== null) this.emit({ type: 'part_end', signature })
    else if (this.isOpen) this.emit({ type: 'part_end' })
    this.isOpen = false
  }
}

type ProviderMetadata = Extract<StreamPart, { type: 'reasoning-start' }>['providerMetadata']

/** Gemini's, of the thought that led to a call. */
function toSignature(metadata: ProviderMetadata): { signature?: string } {
  const signature = metadata?.openai?.thoughtSignature
  return typeof signature === 'string' ? { signature } : {}
}

/** A thought whose text only the provider can read. Signatures proper are base64: no braces. */
export const toRedactedSignature = (data: string): string => JSON.stringify({ redacted: data })

export function readRedactedSignature(signature: string): string | null {
  if (!signature.startsWith('{')) return null
  return (JSON.parse(signature) as { redacted: string }).redacted
}

function toStopReason(reason: Finish['finishReason']['unified'], hasCalls: boolean): StopReason {
  switch (reason) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'tool-calls':
      return 'tool_calls'
    default:
      // Several local servers say "stop" after a tool call.
      if (hasCalls) return 'tool_calls'
      return reason === 'stop' ? 'stop' : 'other'
  }
}

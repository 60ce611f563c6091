// A request in the words of the provider packages, which differ only in what a thought becomes.

import type { AssistantPart, ModelMessage, ModelRequest } from '../core/session/model.ts'
import type { CallOptions } from './provider-types.ts'

export type Prompt = CallOptions['prompt']
export type PromptMessage = Prompt[number]
export type Tools = NonNullable<CallOptions['tools']>
export type PromptPart = Extract<PromptMessage, { role: 'assistant' }>['content'][number]
export type CallPart = Extract<AssistantPart, { type: 'tool_call' }>
export type ThinkingPart = Extract<AssistantPart, { type: 'thinking' }>

export type Dialect = {
  /** null: this provider does not take thoughts back, or not this one. */
  toThought: (part: ThinkingPart) => PromptPart | null
  /** A call's id as this provider takes it: another one may have made it. */
  toCallId: (id: string) => string
  /** Likewise what was called: models make up names. */
  toToolName: (name: string) => string
  /** What else a call goes back with. `isFirst`: of its message. */
  toProof?: (call: CallPart, isFirst: boolean) => ProviderOptions | undefined
  /** Said of an answer that goes back without a thought. */
  thoughtless?: ProviderOptions
}

export type ProviderOptions = NonNullable<PromptMessage['providerOptions']>

export function toTools({ tools }: ModelRequest): Tools {
  return tools.map((tool) => ({ type: 'function', ...tool })) as Tools
}

export function toPrompt({ system, messages }: ModelRequest, dialect: Dialect): Prompt {
  const prompt: Prompt = messages.flatMap((message) => toPromptMessage(message, dialect))
  if (system !== '') prompt.unshift({ role: 'system', content: system })
  return prompt
}

function toPromptMessage(message: ModelMessage, dialect: Dialect): Prompt {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: [{ type: 'text', text: message.text }] }]
    case 'assistant': {
      const first = message.parts.find(({ type }) => type === 'tool_call')
      const content = message.parts.flatMap((part) => toPromptPart(part, part === first, dialect))
      // Servers refuse an assistant message that says nothing and calls nothing.
      if (content.every(({ type }) => type === 'reasoning')) return []
      const { thoughtless } = dialect
      const isThoughtless = content.every(({ type }) => type !== 'reasoning')
      const options = isThoughtless && thoughtless ? { providerOptions: thoughtless } : {}
      return [{ role: 'assistant', content, ...options }]
    }
    case 'tool':
      return [
        {
          role: 'tool',
          content: message.results.map(({ callId, toolName, ok, text }) => ({
            type: 'tool-result',
            toolCallId: dialect.toCallId(callId),
            toolName: dialect.toToolName(toolName),
            output: { type: ok ? 'text' : 'error-text', value: text },
          })),
        },
      ]
  }
}

function toPromptPart(part: AssistantPart, isFirst: boolean, dialect: Dialect): PromptPart[] {
  switch (part.type) {
    case 'text':
      // Blank text is refused where it is the only content; where it is not, nobody misses it.
      return part.text.trim() === '' ? [] : [part]
    case 'thinking': {
      const thought = dialect.toThought(part)
      return thought === null ? [] : [thought]
    }
    case 'tool_call': {
      const toolCallId = dialect.toCallId(part.callId)
      const toolName = dialect.toToolName(part.toolName)
      const call = {
        type: 'tool-call',
        toolCallId,
        toolName,
        input: toInput(part.arguments),
      } as const
      const providerOptions = dialect.toProof?.(part, isFirst)
      return [providerOptions === undefined ? call : { ...call, providerOptions }]
    }
  }
}

/** Servers parse the arguments of earlier calls: what a model once wrote wrongly must not stop it. */
function toInput(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  return text.trim() === '' ? {} : { invalid_arguments: text }
}

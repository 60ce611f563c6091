import type { ToolContext } from '../core/tools/tool.ts'
// What the tests of the demo model share: messages as the engine makes them, and a short loop.

import type { AssistantPart, ModelMessage, ModelPart, ModelRequest } from '../core/session/model.ts'
import { calculate } from '../core/tools/calculate.ts'
import { countdown } from '../core/tools/countdown.ts'
import { currentTime } from '../core/tools/current-time.ts'
import { createRegistry } from '../core/tools/registry.ts'
import { think } from '../core/tools/think.ts'
import type { DemoModelId } from './demo-scene.ts'
import { createDemoModel } from './demo.ts'

export const registry = createRegistry([calculate, countdown, currentTime, think])
export const INTERRUPTED = '[The previous answer was interrupted before it was complete.]'
export const CONTINUE = '[Continue from where the previous answer stopped, without repeating it.]'

export const user = (text: string): ModelMessage => ({ role: 'user', text })
export const assistant = (...parts: AssistantPart[]): ModelMessage => ({ role: 'assistant', parts })
export const said = (text: string): AssistantPart => ({ type: 'text', text })
export const call = (callId: string, toolName: string, input: object): AssistantPart => ({
  type: 'tool_call',
  callId,
  toolName,
  arguments: JSON.stringify(input),
})
export const result = (
  callId: string,
  toolName: string,
  text: string,
  ok = true,
): ModelMessage => ({
  role: 'tool',
  results: [{ callId, toolName, ok, text }],
})
/** What the history holds of an answer that broke off, before it is asked for again. */
export const broken = (text: string): ModelMessage[] => [
  assistant(said(text)),
  user(`${INTERRUPTED}\n${CONTINUE}`),
]
export const offer = (...names: string[]) =>
  names.map((name) => ({ name, description: '', inputSchema: {} }))

type Asking = Partial<ModelRequest> & { id?: DemoModelId }

export async function attempt(messages: readonly ModelMessage[], asking: Asking = {}) {
  const { id = 'demo', ...more } = asking
  const model = createDemoModel({ id, sleep: () => Promise.resolve() })
  const request = { system: '', messages, tools: registry.specs(), ...more }
  const parts: ModelPart[] = []
  const outcome = await model
    .stream(request, new AbortController().signal, (part) => parts.push(part))
    .then(
      (finish) => ({ finish, error: null }),
      (error: unknown) => ({ finish: null, error }),
    )
  const textOf = (type: 'text' | 'thinking') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('')
  const calls = parts.filter((part) => part.type === 'tool_call')
  return { ...outcome, parts, calls, text: textOf('text'), thinking: textOf('thinking') }
}

export async function ask(messages: readonly ModelMessage[], asking: Asking = {}) {
  const { finish, error, ...answer } = await attempt(messages, asking)
  if (finish === null) throw error
  return { ...answer, finish }
}

const nothing = (): never => {
  throw new Error('the demo has no files here')
}

const CONTEXT: ToolContext = {
  signal: new AbortController().signal,
  output: () => {},
  now: () => 0,
  workspace: { list: nothing, stat: nothing, read: nothing, apply: nothing },
}

/** What the loop does with it: calls run, results go back, until there is an answer. */
export async function converse(question: string, steps = 5) {
  const messages: ModelMessage[] = [user(question)]
  for (let step = 0; step < steps; step++) {
    const { calls, text, finish } = await ask(messages)
    const parts = calls.map(({ id, toolName, arguments: args }) => ({
      type: 'tool_call' as const,
      callId: id,
      toolName,
      arguments: args,
    }))
    messages.push(assistant(...(text === '' ? [] : [said(text)]), ...parts))
    if (finish.stopReason === 'stop') return { messages, text, isOver: true }
    const results = await Promise.all(
      parts.map(async ({ callId, ...toolCall }) => {
        const prepared = registry.prepare({ callId, ...toolCall })
        if (prepared.do !== 'run' && prepared.do !== 'settle') throw new Error('asks somebody')
        const outcome = prepared.do === 'settle' ? prepared.outcome : await prepared.run(CONTEXT)
        const told = outcome.ok ? outcome.result : `${outcome.error.code}: ${outcome.error.message}`
        return { callId, toolName: toolCall.toolName, ok: outcome.ok, text: told }
      }),
    )
    messages.push({ role: 'tool', results })
  }
  return { messages, text: '', isOver: false }
}

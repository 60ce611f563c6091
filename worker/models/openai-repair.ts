// Chunks that servers really send and the provider package does not take, made into those it does.
// Everything else goes through as the bytes it was.

import { mapLines } from './map-lines.ts'

type Json = Record<string, unknown>
export type Chunk = Json & {
  choices?: { finish_reason?: unknown; delta?: Json | null }[] | null
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const repairChunks = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
  const state: RepairState = { isFinished: false, hasCalls: false }
  return mapLines(body, (line) => repairLine(line, state))
}

export type RepairState = { isFinished: boolean; hasCalls: boolean }

export function repairLine(line: string, state: RepairState): string {
  const [, prefix, data] = /^(data:\s*)(\S.*)$/.exec(line) ?? []
  if (prefix === undefined || data === undefined) return line
  if (data.trim() === '[DONE]') {
    // Said to be done, but not why: the server finished, and only left out the reason.
    return state.isFinished ? line : `${prefix}${toFinishChunk(state)}\n\n${line}`
  }
  let chunk: Chunk | null
  try {
    chunk = JSON.parse(data) as Chunk | null
  } catch {
    return line
  }
  if (!isObject(chunk)) return line
  const isChanged = repairChunk(chunk)
  note(chunk, state)
  return isChanged ? prefix + JSON.stringify(chunk) : line
}

const toFinishChunk = ({ hasCalls }: RepairState): string =>
  JSON.stringify({
    choices: [{ index: 0, delta: {}, finish_reason: hasCalls ? 'tool_calls' : 'stop' }],
  })

function note(chunk: Chunk, state: RepairState): void {
  if (chunk.error !== undefined) state.isFinished = true
  for (const choice of chunk.choices ?? []) {
    if (choice.finish_reason != null) state.isFinished = true
    const calls = choice.delta?.tool_calls
    if (Array.isArray(calls) && calls.length > 0) state.hasCalls = true
  }
}

/** True when it had to be changed. */
export function repairChunk(chunk: Chunk): boolean {
  let isChanged = false
  // The package takes the mere name for an error.
  if (chunk.error === null) {
    delete chunk.error
    isChanged = true
  }
  // A chunk that is only usage, or only an error, from servers that leave the list out.
  const isBare = chunk.usage != null || chunk.choices === null
  if (!Array.isArray(chunk.choices) && isBare && chunk.error === undefined) {
    chunk.choices = []
    isChanged = true
  }
  if (!Array.isArray(chunk.choices)) return isChanged
  for (const { delta } of chunk.choices) {
    if (!isObject(delta)) continue
    // Gemini's and others' "model" is OpenAI's "assistant".
    if (delta.role != null && delta.role !== 'assistant' && delta.role !== '') {
      delta.role = 'assistant'
      isChanged = true
    }
    if (repairCalls(delta)) isChanged = true
  }
  return isChanged
}

function repairCalls(delta: Json): boolean {
  if (!Array.isArray(delta.tool_calls)) return false
  let isChanged = false
  for (const call of delta.tool_calls as unknown[]) {
    if (!isObject(call)) continue
    // Ollama's own and Workers AI's older shape: the call is its function.
    if (!isObject(call.function) && typeof call.name === 'string') {
      call.function = { name: call.name, arguments: call.arguments }
      isChanged = true
    }
    const named = call.function
    if (!isObject(named)) continue
    if (named.arguments != null && typeof named.arguments !== 'string') {
      named.arguments = JSON.stringify(named.arguments)
      isChanged = true
    }
    if (call.id != null && typeof call.id !== 'string') {
      call.id = JSON.stringify(call.id)
      isChanged = true
    }
  }
  return isChanged
}

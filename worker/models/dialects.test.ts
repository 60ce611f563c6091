import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ModelError, type Model, type ModelPart } from '../core/session/model.ts'
import { createAnthropicModel } from './anthropic.ts'
import { createOpenAiModel } from './openai.ts'
import { createWorkersAiModel } from './workers-ai.ts'

// What servers really send, re-created, and cut at every byte by a network that means it.

const bytesOf = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../testing/streams/${name}.sse`, import.meta.url)))

type Open = (body: ReadableStream<Uint8Array>) => Model

const baseURL = 'http://provider.test/v1'
const openAi: Open = (body) =>
  createOpenAiModel({ baseURL, modelId: 'm', fetch: () => Promise.resolve(new Response(body)) })
const anthropic: Open = (body) =>
  createAnthropicModel({ baseURL, modelId: 'm', fetch: () => Promise.resolve(new Response(body)) })
const workersAi: Open = (body) =>
  createWorkersAiModel({ ai: { run: () => Promise.resolve(body) }, modelId: 'm' })

function bodyOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...chunks]
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift()
      if (chunk === undefined) controller.close()
      else controller.enqueue(chunk)
    },
  })
}

async function read(open: Open, chunks: readonly Uint8Array[]) {
  const parts: ModelPart[] = []
  const request = { system: '', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] }
  const finish = await open(bodyOf(chunks))
    .stream(request, new AbortController().signal, (part) => parts.push(part))
    .catch((error: unknown) => {
      if (!(error instanceof ModelError)) throw error
      return { code: error.code, message: error.message }
    })
  return { parts: joined(parts, chunks), finish }
}

/** Runs of one kind joined, signs of life left out, and ids that were made up here made equal. */
function joined(parts: readonly ModelPart[], chunks: readonly Uint8Array[]): unknown[] {
  const out: Record<string, unknown>[] = []
  const sent = Buffer.concat(chunks).toString()
  const made: string[] = []
  const toId = (id: string): string => {
    if (sent.includes(id)) return id
    if (!made.includes(id)) made.push(id)
    return `made-${made.indexOf(id) + 1}`
  }
  for (const part of parts) {
    if (part.type === 'activity') continue
    const last = out.at(-1)
    const id = 'id' in part ? toId(part.id) : undefined
    if (last?.type === part.type && last.id === id && 'text' in part)
      last.text = String(last.text) + part.text
    else out.push({ ...part, ...(id !== undefined && { id }) })
  }
  return out
}

const thinking = (text: string) => ({ type: 'thinking', text })
const text = (words: string) => ({ type: 'text', text: words })
const end = { type: 'part_end' }
const input = (id: string, args: string) => ({
  type: 'tool_input',
  id,
  toolName: 'look',
  text: args,
})
const call = (id: string, args: string) => ({
  type: 'tool_call',
  id,
  toolName: 'look',
  arguments: args,
})
const done = (stopReason: string, inputTokens: number, outputTokens: number, cachedTokens = 0) => ({
  stopReason,
  usage: { inputTokens, outputTokens, cachedTokens },
})

const DIALECTS: [name: string, open: Open, parts: object[], finish: object][] = [
  [
    'openai-tools',
    openAi,
    [
      text('Über 🙂'),
      input('call_a', '{"at":"Zürich"}'),
      input('call_b', '{"at":"東京"}'),
      call('call_a', '{"at":"Zürich"}'),
      call('call_b', '{"at":"東京"}'),
    ],
    done('tool_calls', 50, 20, 32),
  ],
  [
    'ollama',
    openAi,
    [
      thinking('Zwei Städte 🤔'),
      text('Moment.'),
      input('made-1', '{"at":"Köln"}'),
      input('made-2', '{"at":"Bonn"}'),
      call('made-1', '{"at":"Köln"}'),
      call('made-2', '{"at":"Bonn"}'),
    ],
    done('tool_calls', 9, 8),
  ],
  [
    'vllm-reasoning',
    openAi,
    [thinking('Erst denken… '), text('<think>bleibt</think> Übung 🚀'), end],
    done('stop', 5, 6),
  ],
  [
    'llama-cpp',
    openAi,
    [
      thinking('Wo ist Köln? </b> 🤔 </thinks '),
      text('Ich schaue: <think> bleibt 👀'),
      input('l1', '{"at":"Köln"}'),
      call('l1', '{"at":"Köln"}'),
    ],
    done('tool_calls', 11, 12),
  ],
  [
    'gemini',
    openAi,
    [
      text('Größe '),
      input('function-call-1', '{"at":"Köln"}'),
      input('function-call-2', '{"at":"Bonn"}'),
      { ...call('function-call-1', '{"at":"Köln"}'), signature: 'CikBcsja+/Q==' },
      call('function-call-2', '{"at":"Bonn"}'),
    ],
    done('tool_calls', 21, 22),
  ],
  ['openrouter', openAi, [thinking('Hm — '), text('Jürgen sagt 👍'), end], done('stop', 3, 4)],
  [
    'openrouter-error',
    openAi,
    [text('Halb 🙂')],
    {
      code: 'model_unavailable',
      message:
        'The model provider failed (HTTP 502): Provider disconnected. Try again in a moment.',
    },
  ],
  ['azure', openAi, [text('Grüße 🌍'), end], done('content_filter', 8, 2)],
  [
    'deepseek',
    openAi,
    [
      thinking('Größe prüfen 🔎'),
      text('Ja.'),
      input('call_00_x', '{"at":"Łódź"}'),
      call('call_00_x', '{"at":"Łódź"}'),
    ],
    done('tool_calls', 30, 9, 16),
  ],
  [
    'groq',
    openAi,
    [thinking('kurz '), text('Öl 🛢'), input('t1', '{"at":1}'), call('t1', '{"at":1}')],
    done('tool_calls', 4, 5),
  ],
  [
    'lean-server',
    openAi,
    [text('Nächste 🏠'), input('made-1', '{"at":"Säule"}'), call('made-1', '{"at":"Säule"}')],
    done('tool_calls', 2, 3),
  ],
  [
    'anthropic-thinking-tools',
    anthropic,
    [
      thinking('Wo ist Zürich? 🧭'),
      { ...end, signature: 'EqQB+/=' },
      thinking(''),
      { ...end, signature: '{"redacted":"EmwK="}' },
      text('Ich schaue 👀'),
      end,
      input('toolu_01', '{"at": "Zürich"}'),
      call('toolu_01', '{"at": "Zürich"}'),
    ],
    {
      stopReason: 'tool_calls',
      usage: { inputTokens: 35, outputTokens: 40, cachedTokens: 20, cacheWriteTokens: 5 },
    },
  ],
  [
    'workers-ai',
    workersAi,
    [text('Größe 42 🙂'), input('made-1', '{"at":"Köln"}'), call('made-1', '{"at":"Köln"}')],
    done('tool_calls', 7, 6),
  ],
  [
    'workers-ai-chunks',
    workersAi,
    [
      thinking('Hü '),
      text('Hott 🐴'),
      input('call-1', '{"at":"Köln"}'),
      call('call-1', '{"at":"Köln"}'),
    ],
    done('tool_calls', 7, 6),
  ],
]

describe.each(DIALECTS)('[BAK1] %s', (name, open, parts, finish) => {
  const bytes = bytesOf(name)

  test('is read as what it says', async () => {
    expect(await read(open, [bytes])).toEqual({ parts, finish })
  })

  test('is the same however the network cuts it', async () => {
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
    expect(await read(open, single)).toEqual({ parts, finish })
    for (let at = 1; at < bytes.length; at++) {
      const result = await read(open, [bytes.subarray(0, at), bytes.subarray(at)])
      // Compared by hand: thousands of deep assertions would take longer than the reading.
      if (JSON.stringify(result) !== JSON.stringify({ parts, finish })) {
        expect(result, `cut at byte ${at}`).toEqual({ parts, finish })
      }
    }
  })

  test('[RUN7] cut off for good, it is a failure and never a call', async () => {
    if ('code' in finish) return
    const whole = new TextDecoder().decode(bytes)
    // Up to the event that says why it ended: all before it is not enough.
    const reason = /\n[^\n]*("finish_reason":"|"stop_reason":"|\[DONE\])/.exec(whole)!
    const cut = new TextEncoder().encode(whole.slice(0, reason.index + 1))
    const result = await read(open, [cut])
    expect(result.finish).toMatchObject({ code: 'model_malformed' })
    expect(JSON.stringify(result.parts)).not.toContain('tool_call')
  })
})

test('[RUN7] bytes that say nothing are signs of life', async () => {
  const heard: string[] = []
  const comments = [Buffer.from(': a\n\n'), Buffer.from(': b\n\n'), bytesOf('openrouter')]
  const request = { system: '', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] }
  await openAi(bodyOf(comments)).stream(request, new AbortController().signal, ({ type }) =>
    heard.push(type),
  )
  expect(heard.slice(0, 3)).toEqual(['activity', 'activity', 'thinking'])
})

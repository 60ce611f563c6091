// The strict model server for tests that run in another process than it does: what a model says is
// written in the message it answers, and gates are reached and released over HTTP.
//
//   #script [[{"text":"Hello "},{"gate":"g"},{"text":"there"},{"finish":"stop"}]]
//
// One reply per provider call of the run: the second list answers the tool results of the first.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  letProcessEnd,
  startStrictOpenAi,
  type ChatBody,
  type Reply,
  type StrictOpenAi,
} from './strict-openai.ts'

export type ModelServer = StrictOpenAi & { controlUrl: string }

export async function startModelServer(
  options: { isBackground?: boolean } = {},
): Promise<ModelServer> {
  const model = await startStrictOpenAi({ ...options, script: readScript })
  const control = createServer((request, response) => {
    const answer = (value: unknown): void => void response.end(JSON.stringify(value))
    const [, gate, action] = /^\/gates\/([^/]+)\/(reached|release)$/.exec(request.url ?? '') ?? []
    if (gate !== undefined && action === 'release') {
      model.gate(gate).release()
      answer(true)
    } else if (gate !== undefined) {
      void model.gate(gate).reached.then(() => answer(true))
    } else if (request.url === '/aborted') answer(model.aborted)
    else answer({ requests: model.requests.slice(-20), violations: model.violations })
  })
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  if (options.isBackground === true) letProcessEnd(control)
  const { port } = control.address() as AddressInfo
  const closeModel = model.close
  return Object.assign(model, {
    controlUrl: `http://127.0.0.1:${port}`,
    close: async () => {
      await closeServer(control)
      await closeModel()
    },
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function readScript(body: ChatBody): Reply {
  const lastUser = body.messages.findLastIndex((message) => message.role === 'user')
  const text = contentOf(body.messages[lastUser])
  const [, json] = /#script ([\s\S]*)$/.exec(text) ?? []
  if (json === undefined) return [{ text: `You said: ${text}` }, { finish: 'stop' }]
  const step = body.messages.slice(lastUser + 1).filter(({ role }) => role === 'assistant').length
  const replies = JSON.parse(json) as Reply[]
  return replies[Math.min(step, replies.length - 1)] ?? [{ finish: 'stop' }]
}

function contentOf(message: unknown): string {
  const { content } = (message ?? {}) as { content?: unknown }
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part as { text?: string }).text ?? '').join('')
}

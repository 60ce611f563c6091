// The strict model servers for tests that run in another process than they do: what a model says
// is written in the message it answers, and gates are reached and released over HTTP.
//
//   #script [[{"text":"Hello "},{"gate":"g"},{"text":"there"},{"finish":"stop"}]]
//
// One reply per provider call of the run: the second list answers the tool results of the first.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { executionsOf } from './executions.ts'
import { startStrictAnthropic, type StrictAnthropic } from './strict-anthropic.ts'
import { startStrictOpenAi, type StrictOpenAi } from './strict-openai.ts'
import type { Reply } from './strict-reply.ts'
import { closeServer, Gates, letProcessEnd } from './strict-server.ts'

export type ModelServer = StrictOpenAi & {
  controlUrl: string
  /** The other API; it plays the same scripts, and its gates are the same. */
  anthropicUrl: string
  anthropic: StrictAnthropic
}

export async function startModelServer(
  options: { isBackground?: boolean } = {},
): Promise<ModelServer> {
  const shared = { ...options, gates: new Gates() }
  const model = await startStrictOpenAi({ ...shared, script: readScript })
  const anthropic = await startStrictAnthropic({ ...shared, script: readScript })
  // Written out once: they are counted again and again, and there are thousands.
  const written = new WeakMap<object, string>()
  const write = (body: object): string => {
    const text = written.get(body) ?? JSON.stringify(body)
    written.set(body, text)
    return text
  }
  const countRequests = (text: string): number =>
    [...model.requests, ...anthropic.requests].filter((body) => write(body).includes(text)).length
  const control = createServer((request, response) => {
    const answer = (value: unknown): void => void response.end(JSON.stringify(value))
    const [, gate, action] = /^\/gates\/([^/]+)\/(reached|release)$/.exec(request.url ?? '') ?? []
    if (gate !== undefined && action === 'release') {
      model.gate(gate).release()
      answer(true)
    } else if (gate !== undefined) {
      void model.gate(gate).reached.then(() => answer(true))
    } else if (request.url?.startsWith('/count/')) {
      answer(countRequests(request.url.slice('/count/'.length)))
    } else if (request.url?.startsWith('/executions/')) {
      answer(executionsOf(request.url.slice('/executions/'.length)))
    } else if (request.url === '/aborted') answer(model.aborted + anthropic.aborted)
    else {
      answer({
        requests: model.requests.slice(-20),
        anthropicRequests: anthropic.requests.slice(-20),
        violations: [...model.violations, ...anthropic.violations],
      })
    }
  })
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  if (options.isBackground === true) letProcessEnd(control)
  const { port } = control.address() as AddressInfo
  const closeModel = model.close
  return Object.assign(model, {
    controlUrl: `http://127.0.0.1:${port}`,
    anthropicUrl: anthropic.url,
    anthropic,
    close: async () => {
      await closeServer(control)
      await anthropic.close()
      await closeModel()
    },
  })
}

type Message = { role: string; content?: unknown }

function readScript(body: { messages: readonly Message[] }): Reply {
  // Tool results are the user's to Anthropic: only a message with words is a person's.
  const lastUser = body.messages.findLastIndex(
    (message) => message.role === 'user' && textOf(message) !== '',
  )
  const text = textOf(body.messages[lastUser])
  const [, json] = /#script ([\s\S]*)$/.exec(text) ?? []
  if (json === undefined) return [{ text: `You said: ${text}` }, { finish: 'stop' }]
  const step = body.messages.slice(lastUser + 1).filter(({ role }) => role === 'assistant').length
  const replies = JSON.parse(json) as Reply[]
  return replies[Math.min(step, replies.length - 1)] ?? [{ finish: 'stop' }]
}

/** The last text of a message: Anthropic's hold what several messages said in a row. */
function textOf(message: Message | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.flatMap((part: { type?: string; text?: string }) =>
    part.type === 'text' && part.text !== undefined ? [part.text] : [],
  )
  return texts.at(-1) ?? ''
}

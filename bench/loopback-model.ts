// The model that benchmarks talk to. It is told beforehand what it will answer to which message,
// so that one server serves every session of a run.

import {
  startStrictOpenAi,
  type ChatBody,
  type Reply,
  type StrictOpenAi,
} from '../worker/testing/node/strict-openai.ts'

export const MODEL_ID = 'loopback'

/** Bodies are kept for tests; a long session's bodies would fill the memory of a benchmark. */
const KEPT_REQUESTS = 100

export class LoopbackModel {
  readonly url: string
  private readonly server: StrictOpenAi
  private readonly replies: Map<string, Reply>
  private planned = 0

  private constructor(server: StrictOpenAi, replies: Map<string, Reply>) {
    this.server = server
    this.url = server.url
    this.replies = replies
  }

  static async start(): Promise<LoopbackModel> {
    const replies = new Map<string, Reply>()
    const server = await startStrictOpenAi({
      script: (body) => {
        if (server.requests.length > KEPT_REQUESTS) server.requests.length = 0
        return takeReply(replies, body)
      },
    })
    return new LoopbackModel(server, replies)
  }

  /** The message that will be answered with this reply, once. */
  plan(reply: Reply): string {
    const message = `Message ${++this.planned}`
    this.replies.set(message, reply)
    return message
  }

  /** What the server asked must be what a real provider accepts, or the numbers mean nothing. */
  requireNoViolation(): void {
    const [violation] = this.server.violations
    if (violation !== undefined)
      throw new Error(`the model was asked wrongly: ${violation.message}`)
  }

  close(): Promise<void> {
    return this.server.close()
  }
}

function takeReply(replies: Map<string, Reply>, body: ChatBody): Reply {
  const content = body.messages.findLast(({ role }) => role === 'user')?.content
  const message = Array.isArray(content)
    ? content.map(({ text }) => text ?? '').join('')
    : (content ?? '')
  const reply = replies.get(message)
  if (reply === undefined) return [{ status: 400, body: `nothing is planned for ${message}` }]
  replies.delete(message)
  return reply
}

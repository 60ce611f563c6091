// Whether Anthropic would take a request: the body that the real provider file makes of it, held
// against the rules of the real API.

import type { ModelRequest } from '../../core/session/model.ts'
import { createAnthropicModel } from '../../models/anthropic.ts'
import { findAnthropicViolation } from './strict-anthropic-rules.ts'

const bodies: unknown[] = []
const model = createAnthropicModel({
  baseURL: 'http://127.0.0.1',
  apiKey: 'test',
  modelId: 'claude-sonnet-4-5',
  thinkingTokens: 2048,
  // Only what would be sent is of interest: the answer is an error.
  fetch: (_input, init) => {
    bodies.push(JSON.parse(init?.body as string))
    return Promise.resolve(new Response('{}', { status: 400 }))
  },
})

/** null: valid. Otherwise what is wrong, in the words of the provider. */
export async function findAnthropicProblem(request: ModelRequest): Promise<string | null> {
  bodies.length = 0
  await model.stream(request, new AbortController().signal, () => {}).catch(() => {})
  if (bodies.length !== 1) return `${bodies.length} requests were made`
  const violation = findAnthropicViolation(bodies[0])
  return violation === null ? null : `${violation.rule}: ${violation.message}`
}

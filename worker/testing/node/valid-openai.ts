// Whether OpenAI would take a request: the body that the real provider file makes of it, held
// against the rules of the real API.

import type { ModelRequest } from '../../core/session/model.ts'
import { createOpenAiModel } from '../../models/openai.ts'
import { findViolation } from './strict-openai-rules.ts'

const bodies: unknown[] = []
const open = (modelId: string) =>
  createOpenAiModel({
    baseURL: 'http://127.0.0.1',
    apiKey: 'test',
    modelId,
    // Only what would be sent is of interest: the answer is an error.
    fetch: (_input, init) => {
      bodies.push(JSON.parse(init?.body as string))
      return Promise.resolve(new Response('{}', { status: 400 }))
    },
  })

/** One of each family that has rules of its own. */
export const OPENAI_KINDS = ['strict', 'mistral-strict', 'deepseek-reasoner', 'gemini-3-pro']
const models = new Map(OPENAI_KINDS.map((kind) => [kind, open(kind)]))
let asked = 0

/** null: valid. Otherwise what is wrong, in the words of the provider. Each call asks another kind. */
export async function findOpenAiProblem(
  request: ModelRequest,
  kind = OPENAI_KINDS[asked++ % OPENAI_KINDS.length]!,
): Promise<string | null> {
  bodies.length = 0
  const model = models.get(kind)!
  await model.stream(request, new AbortController().signal, () => {}).catch(() => {})
  if (bodies.length !== 1) return `${bodies.length} requests were made`
  const violation = findViolation(bodies[0])
  return violation === null ? null : `${violation.rule}: ${violation.message}`
}

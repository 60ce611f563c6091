import { describe, expect, test } from 'vitest'
import type { ModelError, ModelErrorCode } from '../core/session/model.ts'
import { createAnthropicModel } from './anthropic.ts'
import { createOpenAiModel } from './openai.ts'
import { readRetryAfter } from './retry-after.ts'

// Through the real packages: what they make of a response is part of what is told apart.

const API_KEY = 'sk-test-0123456789abcdef'

async function failure(
  fetch: typeof globalThis.fetch,
  create: typeof createOpenAiModel = createOpenAiModel,
): Promise<ModelError> {
  const model = create({ baseURL: 'http://host.test/v1', apiKey: API_KEY, modelId: 'm', fetch })
  const request = { system: '', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] }
  return model
    .stream(request, new AbortController().signal, () => {})
    .then(
      () => Promise.reject(new Error('it did not fail')),
      (error: unknown) => error as ModelError,
    )
}

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (): Promise<Response> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return Promise.resolve(new Response(text, { status, headers }))
  }

const openAi = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
})
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } })

const CASES: [who: string, status: number, body: unknown, code: ModelErrorCode][] = [
  ['OpenAI, wrong key', 401, openAi('Incorrect API key', 'invalid_api_key'), 'model_unauthorized'],
  ['OpenAI, region', 403, openAi('Country not supported'), 'model_unauthorized'],
  ['OpenAI, rate', 429, openAi('Rate limit', 'rate_limit_exceeded'), 'model_rate_limited'],
  ['OpenAI, quota', 429, openAi('quota', 'insufficient_quota'), 'model_unpaid'],
  [
    'OpenAI, larger than its minute',
    429,
    openAi('Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 46000.'),
    'model_context_overflow',
  ],
  ['OpenAI, no model', 404, openAi('no access', 'model_not_found'), 'model_not_found'],
  [
    'OpenAI, too long',
    400,
    openAi("This model's maximum context length is 128000 tokens.", 'context_length_exceeded'),
    'model_context_overflow',
  ],
  ['OpenAI, bad schema', 400, openAi("Invalid schema for 'x'"), 'model_bad_request'],
  [
    'OpenAI, broken',
    500,
    openAi('The server had an error', null, 'server_error'),
    'model_unavailable',
  ],
  ['OpenAI, overloaded', 503, openAi('The engine is currently overloaded'), 'model_overloaded'],
  [
    'Azure, filter',
    400,
    openAi('The response was filtered due to the prompt triggering the policy', 'content_filter'),
    'model_content_filter',
  ],
  [
    'Azure, no deployment',
    404,
    { error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist' } },
    'model_not_found',
  ],
  [
    'Anthropic, key',
    401,
    anthropic('authentication_error', 'invalid x-api-key'),
    'model_unauthorized',
  ],
  ['Anthropic, permission', 403, anthropic('permission_error', 'no'), 'model_unauthorized'],
  ['Anthropic, model', 404, anthropic('not_found_error', 'model: claude-x'), 'model_not_found'],
  [
    'Anthropic, rate',
    429,
    anthropic('rate_limit_error', 'This request would exceed'),
    'model_rate_limited',
  ],
  ['Anthropic, overloaded', 529, anthropic('overloaded_error', 'Overloaded'), 'model_overloaded'],
  [
    'Anthropic, too long',
    400,
    anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    'model_context_overflow',
  ],
  [
    'Anthropic, too long with its answer',
    400,
    anthropic('invalid_request_error', 'input length and `max_tokens` exceed context limit: 1'),
    'model_context_overflow',
  ],
  [
    'Anthropic, too large',
    413,
    anthropic('request_too_large', 'Request exceeds'),
    'model_context_overflow',
  ],
  [
    'Anthropic, filter',
    400,
    anthropic('invalid_request_error', 'Output blocked by content filtering policy'),
    'model_content_filter',
  ],
  [
    'Anthropic, credit',
    400,
    anthropic('invalid_request_error', 'Your credit balance is too low'),
    'model_unpaid',
  ],
  ['Anthropic, broken', 500, anthropic('api_error', 'Internal server error'), 'model_unavailable'],
  ['Ollama, no model', 404, openAi('model "x" not found, try pulling it first'), 'model_not_found'],
  [
    'Ollama, no tools',
    400,
    openAi('registry.ollama.ai/library/gemma:latest does not support tools'),
    'model_no_tools',
  ],
  [
    'Ollama, too long',
    400,
    { error: 'input length exceeds the context length' },
    'model_context_overflow',
  ],
  [
    'llama.cpp, too long',
    400,
    openAi('the request exceeds the available context size, try increasing it'),
    'model_context_overflow',
  ],
  ['llama.cpp, loading', 503, openAi('Loading model'), 'model_overloaded'],
  [
    'vLLM, too long',
    400,
    { object: 'error', message: "This model's maximum context length is 4096 tokens." },
    'model_context_overflow',
  ],
  [
    'vLLM, no tools',
    400,
    { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser' },
    'model_no_tools',
  ],
  ['vLLM, no model', 404, { message: 'The model `x` does not exist.' }, 'model_not_found'],
  [
    'OpenRouter, no tools',
    404,
    { error: { code: 404, message: 'No endpoints found that support tool use. Try another.' } },
    'model_no_tools',
  ],
  [
    'OpenRouter, no model',
    400,
    { error: { code: 400, message: 'x is not a valid model ID' } },
    'model_not_found',
  ],
  [
    'OpenRouter, credits',
    402,
    { error: { code: 402, message: 'Insufficient credits' } },
    'model_unpaid',
  ],
  [
    'OpenRouter, moderation',
    403,
    { error: { code: 403, message: 'Your input was flagged', metadata: { reasons: ['x'] } } },
    'model_content_filter',
  ],
  [
    'OpenRouter, a provider’s words',
    400,
    {
      error: {
        message: 'Provider returned error',
        metadata: { raw: '{"error":{"message":"prompt is too long"}}' },
      },
    },
    'model_context_overflow',
  ],
  ['DeepSeek, balance', 402, openAi('Insufficient Balance'), 'model_unpaid'],
  [
    'Groq, a call that it cannot read',
    400,
    openAi('Failed to call a function. Please adjust your prompt.', 'tool_use_failed'),
    'model_malformed',
  ],
  [
    'xAI, too long',
    400,
    { code: 'invalid argument', error: "This model's maximum prompt length is 131072." },
    'model_context_overflow',
  ],
  [
    'xAI, key',
    400,
    { code: 'invalid argument', error: 'Incorrect API key provided: xa***yz.' },
    'model_unauthorized',
  ],
  [
    'xAI, credits',
    403,
    { code: 'denied', error: "Your newly created team doesn't have any credits yet." },
    'model_unpaid',
  ],
  [
    'Together, too long',
    422,
    openAi('Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.'),
    'model_context_overflow',
  ],
  [
    'Google, key',
    400,
    [{ error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }],
    'model_unauthorized',
  ],
  ['Groq, decommissioned', 400, openAi('The model `x` has been decommissioned'), 'model_not_found'],
  [
    'Gemini, limit',
    429,
    [{ error: { code: 429, message: 'exceeded your current quota. Please retry in 34s.' } }],
    'model_rate_limited',
  ],
  ['a proxy', 502, '<html>Bad gateway</html>', 'model_unavailable'],
  ['a timeout', 408, '', 'model_unavailable'],
  ['a large body', 413, 'Payload Too Large', 'model_context_overflow'],
  ['a validator', 422, { detail: 'field required' }, 'model_bad_request'],
]

test.each(CASES)('[BAK1] %s (HTTP %i) is told apart', async (who, status, body, code) => {
  const create = who.startsWith('Anthropic') ? createAnthropicModel : createOpenAiModel
  const error = await failure(answer(status, body), create)
  expect(error.code).toBe(code)
  // What can be done comes last, as a sentence.
  expect(error.message).toMatch(/[.!?] (?:Check|Wait|Try|Choose|Shorten|Put|Change) [^.]+\.$/)
})

describe('[BAK1] the words', () => {
  test.each([
    [openAi('told by the provider')],
    [{ error: 'told by the provider' }],
    [{ message: 'told by the provider' }],
    [{ detail: 'told by the provider' }],
    ['told by the provider'],
  ])('are the provider’s where it has some: %j', async (body) => {
    const { message } = await failure(answer(400, body))
    expect(message).toBe(
      'The model provider refused the request (HTTP 400): told by the provider. Change the message, or choose another model.',
    )
  })

  test('a page of HTML or an empty body leaves the status', async () => {
    const page = await failure(answer(502, '<html>Bad gateway</html>'))
    expect(page.message).toBe('The model provider failed (HTTP 502). Try again in a moment.')
    const empty = await failure(answer(422, ''))
    expect(empty.message).toMatch(/^The model provider refused the request \(HTTP 422\)\. /)
  })

  test('of a provider that wants money say so, and nobody waits for it', async () => {
    const body = openAi('You exceeded your current quota', 'insufficient_quota')
    const error = await failure(answer(429, body))
    expect(error).toMatchObject({ code: 'model_unpaid', retryAfterMs: null })
    expect(error.message).toContain('billing')
    // Whatever its counters say, of which OpenAI sends some with every answer.
    const counters = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '2s' }
    expect(await failure(answer(429, body, counters))).toMatchObject({ code: 'model_unpaid' })
  })

  test.each([401, 403, 400, 429, 500])('[SAF3] never hold a key: HTTP %i', async (status) => {
    const quoting = openAi(`The key ${API_KEY} and Bearer ${API_KEY} and sk-live***wxyz`)
    for (const create of [createOpenAiModel, createAnthropicModel]) {
      const { message, stack } = await failure(answer(status, quoting), create)
      expect(message + stack).not.toMatch(/sk-|0123456789abcdef|wxyz/)
    }
  })

  test('of a local server are not torn apart by a key that is a word', async () => {
    const model = createOpenAiModel({
      baseURL: 'http://host.test/v1',
      apiKey: 'ollama',
      modelId: 'm',
      fetch: answer(404, openAi('model "x" not found, try ollama pull')),
    })
    const request = { system: '', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] }
    const finish = model.stream(request, new AbortController().signal, () => {})
    await expect(finish).rejects.toThrow('try ollama pull')
  })

  test('[SAF3] of a refused key leave out what a provider quotes of it', async () => {
    const { message } = await failure(answer(400, openAi('Incorrect API key provided: xa***yz.')))
    expect(message).toBe(
      'The model provider refused the API key (HTTP 400). Check the key and what it may do.',
    )
  })

  test('a network that fails is model_unavailable, and names the host alone', async () => {
    for (const create of [createOpenAiModel, createAnthropicModel]) {
      const error = await failure(
        () => Promise.reject(new TypeError('fetch failed: secret')),
        create,
      )
      expect(error.code).toBe('model_unavailable')
      expect(error.message).toContain('host.test')
      expect(error.message).not.toContain('secret')
    }
  })
})

describe('[RUN7] when to come back', () => {
  const NOW = Date.parse('2026-01-01T00:00:00Z')

  test('is taken from the response, for limits and overload', async () => {
    const headers = { 'retry-after': '7' }
    for (const [status, wait] of [
      [429, 7000],
      [503, 7000],
      [529, 7000],
      [400, null],
    ] as const) {
      const error = await failure(answer(status, openAi('no'), headers))
      expect(error.retryAfterMs).toBe(wait)
    }
  })

  test('is not what the counters of an ordinary answer say', async () => {
    const counters = {
      'x-ratelimit-remaining-requests': '199',
      'x-ratelimit-reset-requests': '7m12s',
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2999-01-01T00:00:00Z',
    }
    for (const status of [500, 502, 503, 529]) {
      const error = await failure(answer(status, openAi('no'), counters))
      expect(error.retryAfterMs, String(status)).toBe(null)
    }
  })

  test.each<[Record<string, string>, string, number | null]>([
    [{ 'retry-after': '20' }, '', 20_000],
    [{ 'retry-after': '0.5' }, '', 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, '', 30_000],
    [{ 'retry-after': 'Thu, 01 Jan 2025 00:00:30 GMT' }, '', 0],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, '', 1500],
    [{ 'Retry-After': '3' }, '', 3000],
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' }, '', 360_000],
    [
      {
        'x-ratelimit-reset-requests': '120ms',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-tokens': '6m0s',
        'x-ratelimit-remaining-tokens': '100',
      },
      '',
      120,
    ],
    [{ 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '100' }, '', null],
    [{ 'x-ratelimit-reset': String(NOW + 5000) }, '', 5000],
    [{ 'x-ratelimit-reset': String(NOW / 1000 + 5) }, '', 5000],
    [{ 'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:10Z' }, '', 10_000],
    [{}, 'Rate limit reached. Please try again in 1.2s. Visit', 1200],
    [{}, 'Please retry in 34.5s.', 34_500],
    [{}, 'no idea', null],
    [{ 'retry-after': 'soon' }, '', null],
  ])('of %j and %j', (headers, message, wait) => {
    expect(readRetryAfter(headers, message, true, NOW)).toBe(wait)
  })
})

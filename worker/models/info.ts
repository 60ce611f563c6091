// What is known of models by their names: how much they can read, whether they call tools, what
// they cost. Names change faster than this list, so PARLEY_MODEL_INFO has the last word.

import { z } from 'zod'
import type { ModelSummary } from '#protocol/http'

type Price = NonNullable<ModelSummary['price']>
type Known = { window?: number; tools?: boolean; price?: Price | null }
export type ModelInfo = Readonly<Record<string, Known>>

/** What most models of today can read; a smaller one refuses, and then the loop compacts. */
const DEFAULT_WINDOW = 128_000

const dollars = (input: number, cachedInput: number, output: number): Price => ({
  input,
  cachedInput,
  output,
})

/** The first pattern that matches the name wins: the special ones come before their family. */
const FAMILIES: readonly [pattern: RegExp, known: Known][] = [
  // Workers AI serves models with windows of its own.
  [/^@cf\/.*llama-3\.3-70b/, { window: 24_000 }],
  [/^@cf\/.*llama-3\.1-8b/, { window: 7968 }],
  [/^@cf\/.*llama-3\.2/, { window: 60_000 }],
  [/^@cf\/.*qwq-32b/, { window: 24_000 }],
  [/^@(?:cf|hf)\/.*hermes-2-pro/, { window: 24_000 }],

  [/gpt-4o-mini/, { price: dollars(0.15, 0.075, 0.6) }],
  [/gpt-4o/, { price: dollars(2.5, 1.25, 10) }],
  [/gpt-4\.1-nano/, { window: 1_047_576, price: dollars(0.1, 0.025, 0.4) }],
  [/gpt-4\.1-mini/, { window: 1_047_576, price: dollars(0.4, 0.1, 1.6) }],
  [/gpt-4\.1/, { window: 1_047_576, price: dollars(2, 0.5, 8) }],
  [/gpt-4-turbo/, { price: dollars(10, 10, 30) }],
  [/gpt-4(?!\.)/, { window: 8192, price: dollars(30, 30, 60) }],
  [/gpt-3\.5/, { window: 16_385, price: dollars(0.5, 0.5, 1.5) }],
  [/gpt-oss/, { window: 131_072 }],
  [/gpt-5-nano/, { window: 400_000, price: dollars(0.05, 0.005, 0.4) }],
  [/gpt-5-mini/, { window: 400_000, price: dollars(0.25, 0.025, 2) }],
  [/gpt-5-chat/, { price: dollars(1.25, 0.125, 10) }],
  [/gpt-5(?:\.1)?(?:-\d{4}-\d\d-\d\d)?$/, { window: 400_000, price: dollars(1.25, 0.125, 10) }],
  [/gpt-5/, { window: 400_000 }],
  [/\bo1-mini|\bo1-preview/, { tools: false, price: dollars(1.1, 0.55, 4.4) }],
  [/\bo1(?!-pro)/, { window: 200_000, price: dollars(15, 7.5, 60) }],
  [/\bo3-mini/, { window: 200_000, price: dollars(1.1, 0.55, 4.4) }],
  [/\bo4-mini/, { window: 200_000, price: dollars(1.1, 0.275, 4.4) }],
  [/\bo3(?!-(?:pro|deep))/, { window: 200_000, price: dollars(2, 0.5, 8) }],
  [/\bo[1-9](?:-|$)/, { window: 200_000 }],

  [/claude-3-haiku/, { window: 200_000, price: dollars(0.25, 0.03, 1.25) }],
  [/claude-3[-.]5-haiku/, { window: 200_000, price: dollars(0.8, 0.08, 4) }],
  [/claude-haiku-4/, { window: 200_000, price: dollars(1, 0.1, 5) }],
  [/claude-sonnet-4[-.]6/, { window: 1_000_000, price: dollars(3, 0.3, 15) }],
  [/claude-(?:3[-.][57]-sonnet|sonnet-4)/, { window: 200_000, price: dollars(3, 0.3, 15) }],
  [/claude-opus-4[-.][6-9](?!\d)/, { window: 1_000_000, price: dollars(5, 0.5, 25) }],
  [/claude-opus-4[-.]5(?!\d)/, { window: 200_000, price: dollars(5, 0.5, 25) }],
  [/claude-(?:3-opus|opus-4)/, { window: 200_000, price: dollars(15, 1.5, 75) }],
  [/claude-(?:2|instant)/, { window: 100_000, tools: false }],
  [/claude/, { window: 200_000 }],

  [/gemini-2\.5-pro/, { window: 1_048_576, price: dollars(1.25, 0.125, 10) }],
  [/gemini-2\.5-flash-lite/, { window: 1_048_576, price: dollars(0.1, 0.01, 0.4) }],
  [/gemini-2\.5-flash/, { window: 1_048_576, price: dollars(0.3, 0.03, 2.5) }],
  [/gemini-2\.0-flash-lite/, { window: 1_048_576, price: dollars(0.075, 0.075, 0.3) }],
  [/gemini-2\.0-flash/, { window: 1_048_576, price: dollars(0.1, 0.025, 0.4) }],
  [/gemini/, { window: 1_048_576 }],
  [/gemma-?[12]/, { window: 8192, tools: false }],
  [/gemma/, { tools: false }],

  // The rest is served by many, at prices of their own.
  [/^deepseek-(?:chat|reasoner)$/, { price: dollars(0.28, 0.028, 0.42) }],
  [/deepseek/, { window: 128_000 }],
  [/llama-?4/, { window: 131_072 }],
  [/llama-?3\.[1-9]/, { window: 131_072 }],
  [/llama-?3/, { window: 8192, tools: false }],
  [/llama-?2|vicuna|tinyllama/, { window: 4096, tools: false }],
  [/qwen-?3-(?:coder|max)|qwen-?3\.[5-9]/, { window: 262_144 }],
  [/qwen-?3/, { window: 40_960 }],
  [/qwen|qwq/, { window: 32_768 }],
  [/mixtral|mistral-?7b|mistral:|^mistral$/, { window: 32_768 }],
  [/codestral|devstral/, { window: 256_000 }],
  [/mistral|magistral|ministral|pixtral/, { window: 128_000 }],
  [/phi-?[123]/, { tools: false }],
]

/** `overrides` first, then the family, then what is likely. */
export function describeModel(
  id: string,
  provider: string,
  overrides: ModelInfo = {},
): ModelSummary {
  const name = id.toLowerCase()
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? {}
  const own = Object.hasOwn(overrides, id) ? overrides[id] : {}
  const known = { ...family, ...own }
  return {
    id,
    provider,
    window: known.window ?? DEFAULT_WINDOW,
    tools: known.tools ?? true,
    price: known.price ?? null,
  }
}

const amount = z.number().min(0)
const Info = z.record(
  z.string(),
  z.strictObject({
    window: z.number().int().min(1).optional(),
    tools: z.boolean().optional(),
    price: z
      .strictObject({ input: amount, cachedInput: amount.optional(), output: amount })
      .transform((price) => ({ ...price, cachedInput: price.cachedInput ?? price.input }))
      .nullable()
      .optional(),
  }),
)

export type ParsedInfo = { ok: true; info: ModelInfo } | { ok: false; problem: string }

/** PARLEY_MODEL_INFO. A typo in it is to be told, not to be a default. */
export function parseModelInfo(text: string): ParsedInfo {
  if (text.trim() === '') return { ok: true, info: {} }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'is not JSON' }
  }
  const parsed = Info.safeParse(json)
  if (parsed.success) return { ok: true, info: parsed.data as ModelInfo }
  const [issue] = parsed.error.issues
  const path = issue?.path.map(String).join('.') ?? ''
  return { ok: false, problem: `${path === '' ? 'the whole' : path}: ${issue?.message ?? ''}` }
}

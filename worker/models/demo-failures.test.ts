// The demo model as a provider that fails, and as the one that goes on after it.

import { describe, expect, test } from 'vitest'
import type { ModelMessage, ModelPart } from '../core/session/model.ts'
import { SeamCutter } from '../core/session/seam.ts'
import { ask, attempt, broken, user } from './demo-test-kit.ts'
import { createDemoModel } from './demo.ts'

/** As the engine does it: what broke off stays in the history, and the question is asked again. */
async function breakOff(messages: ModelMessage[], asking: Parameters<typeof attempt>[1] = {}) {
  const { text, error } = await attempt(messages, asking)
  if (text !== '') messages.push(...broken(text))
  return { text, error }
}

describe('[RUN7] fallback', () => {
  test.each(['fallback', 'show me how you fall over', 'Fail over, please'])(
    '%j: demo fails on every try, and says its half sentence once',
    async (question) => {
      const messages = [user(question)]
      const first = await breakOff(messages)
      expect(first.text).toMatch(/begins this sentence, .* the provider $/)
      const overloaded = { name: 'ModelError', code: 'model_overloaded', retryAfterMs: null }
      expect(first.error).toMatchObject(overloaded)
      for (let again = 0; again < 3; again++) {
        const { text, error } = await breakOff(messages)
        expect(text).toBe('')
        expect(error).toMatchObject(overloaded)
      }
    },
  )

  test('demo-backup finishes the sentence; the few words it repeats are cut at the seam', async () => {
    const messages = [user('fallback')]
    const { text: half } = await breakOff(messages)
    const { text, finish } = await ask(messages, { id: 'demo-backup' })
    expect(finish.stopReason).toBe('stop')
    expect(text).toMatch(/^of it the provider is overloaded/)
    const seam = new SeamCutter(half)
    const shown = `${seam.push(text)}${seam.end()}`
    expect(half + shown).toContain('in the middle of it the provider is overloaded, on this try')
    expect(half + shown).not.toContain('provider of it')
  })

  test('demo-backup, cut short itself, goes on and repeats nothing more', async () => {
    const messages = [user('fallback')]
    await breakOff(messages)
    const { text } = await ask(messages, { id: 'demo-backup' })
    const rest = text.slice('of it the provider '.length)
    const again = await ask([...messages, ...broken(rest.slice(0, 30))], { id: 'demo-backup' })
    expect(again.text).toBe(rest.slice(30))
  })

  test('demo-backup answers from the start when demo was not asked at all', async () => {
    const { text } = await ask([user('fallback')], { id: 'demo-backup' })
    expect(text).toContain('`demo-backup` answers from the first word on')
    const again = await ask([user('fallback'), ...broken(text.slice(0, 300))], {
      id: 'demo-backup',
    })
    expect(again.text).toBe(text.slice(300))
  })

  test('demo-backup plays every other scene like demo', async () => {
    const { text } = await ask([user('markdown')], { id: 'demo-backup' })
    expect(text).toBe((await ask([user('markdown')])).text)
  })
})

describe('[RUN7] retry', () => {
  test.each(['retry', 'hit a rate limit'])('%j: two limits, then an answer', async (question) => {
    const messages = [user(question)]
    const tries = [await breakOff(messages), await breakOff(messages), await breakOff(messages)]
    const limited = { code: 'model_rate_limited', retryAfterMs: 1500 }
    expect(tries.map(({ error }) => error)).toMatchObject([limited, limited, null])
    expect(tries.map(({ text }) => /(\w+) try/.exec(text)?.[1])).toEqual([
      'first',
      'second',
      'third',
    ])
  })

  test('fails as often for the next person who asks the same', async () => {
    const model = createDemoModel({ sleep: () => Promise.resolve() })
    const request = { system: '', messages: [user('retry')], tools: [] }
    for (let person = 0; person < 4; person++) {
      const answer = model.stream(request, new AbortController().signal, () => {})
      await expect(answer).rejects.toMatchObject({ code: 'model_rate_limited' })
    }
  })

  test('begins again after another model’s words, and still gets through', async () => {
    const messages = [user('retry'), ...broken('As an AI model')]
    const tries = [await breakOff(messages), await breakOff(messages), await breakOff(messages)]
    expect(tries[0]!.text).toContain('here is the answer again')
    expect(tries[1]!.text).not.toContain('here is the answer again')
    expect(tries[2]).toMatchObject({ error: null, text: expect.stringContaining('goes through') })
  })
})

test.each(['demo', 'demo-backup'] as const)(
  '[RUN7] unreachable: %s says nothing, on this try and on any other',
  async (id) => {
    for (const question of ['unreachable', 'Make the provider unreachable', 'an outage']) {
      const { error, parts } = await attempt([user(question)], { id })
      expect(error).toMatchObject({ code: 'model_unavailable', retryAfterMs: null })
      expect(parts).toEqual([])
    }
  },
)

test('[RUN7] a model that refuses tools says nothing with them, and answers without', async () => {
  const refused = await attempt([user('answer with no tools')])
  expect(refused.error).toMatchObject({ code: 'model_no_tools' })
  expect(refused.parts).toEqual([])
  const { text } = await ask([user('answer with no tools')], { tools: [] })
  expect(text).toContain("I'm Parley's built-in demo model")
  expect(text).toContain('came without any tools')
})

describe('[RUN7] a provider that stalls', () => {
  test.each(['stall', 'hang, please'])(
    '%j: words, then silence until aborted',
    async (question) => {
      const request = { system: '', messages: [user(question)], tools: [] }
      const controller = new AbortController()
      const spoken = Promise.withResolvers<void>()
      const parts: ModelPart[] = []
      const model = createDemoModel({ sleep: () => Promise.resolve() })
      let isOver = false
      const finish = model
        .stream(request, controller.signal, (part) => {
          parts.push(part)
          if ('text' in part && part.text === 'am ') spoken.resolve()
        })
        .finally(() => (isOver = true))
      const outcome = expect(finish).rejects.toBe('stalled')
      await spoken.promise
      const heard = parts.length
      for (let turn = 0; turn < 100; turn++) await Promise.resolve()
      expect(isOver).toBe(false)
      controller.abort('stalled')
      await outcome
      expect(parts.length).toBe(heard)
      const words = parts.map((part) => ('text' in part ? part.text : '')).join('')
      const { text } = await ask([user(question), ...broken(words)])
      expect(text).toMatch(/^back\. The silence was ended/)
    },
  )
})

describe('[RUN9] a crash', () => {
  test('is explained, with the time to cause one', async () => {
    const pauses: number[] = []
    const sleep = (ms: number) => {
      pauses.push(ms)
      return Promise.resolve()
    }
    const request = { system: '', messages: [user('show me a crash')], tools: [] }
    const parts: ModelPart[] = []
    const model = createDemoModel({ sleep })
    await model.stream(request, new AbortController().signal, (part) => parts.push(part))
    const text = parts.map((part) => ('text' in part ? part.text : '')).join('')
    expect(text).toContain('kill -9')
    expect(text).toContain('**Continue**')
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(20_000)
  })

  test.each([
    'crash',
    'markdown',
    'fill the context',
    'slow tool',
    'many steps',
    'hello',
    'think',
    'weather in Rome',
    'fetch https://example.com',
    'invalid arguments',
  ])('%j goes on after any number of them, with nothing lost or twice', async (question) => {
    const whole = await ask([user(question)])
    const messages = [user(question)]
    const size = Math.ceil(whole.text.length / 4)
    for (let at = 0; at < whole.text.length; at += size) {
      const { text } = await ask(messages)
      expect(text).toBe(whole.text.slice(at))
      messages.push(...broken(text.slice(0, size)))
    }
    const rest = await ask(messages)
    expect(rest.calls.map(({ toolName }) => toolName)).toEqual(
      whole.calls.map(({ toolName }) => toolName),
    )
    expect(rest.text).toMatch(whole.calls.length > 0 ? /^$/ : /nothing left to add/)
    if (rest.text === '') return
    const { text: once } = await ask([...messages, ...broken(rest.text)])
    expect(once).toBe(rest.text)
  })

  test('white space that the history did not keep is no reason to begin again', async () => {
    const { text: whole } = await ask([user('markdown')])
    const at = whole.indexOf('### A table')
    const { text } = await ask([user('markdown'), ...broken(whole.slice(0, at).trimEnd())])
    expect(text.trimStart()).toBe(whole.slice(at))
    const gap = [...broken(whole.slice(0, at).trimEnd()), ...broken(whole.slice(at, at + 40))]
    expect((await ask([user('markdown'), ...gap])).text).toBe(whole.slice(at + 40))
  })
})

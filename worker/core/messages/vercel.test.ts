import { describe, expect, test } from 'vitest'
import { WRITTEN_AT, WrittenLog } from '../../testing/node/written-log.ts'
import { markSteps } from './steps.ts'
import { toVercelMessages, type VercelMessage } from './vercel.ts'

type Answer = Extract<VercelMessage, { role: 'assistant' }>

const of = ({ state, events }: WrittenLog): VercelMessage[] =>
  toVercelMessages(state.turns, state.open, markSteps(events))

/** Assistant messages, oldest first. */
const answersOf = (log: WrittenLog): Answer[] =>
  of(log)
    .filter((message) => message.role === 'assistant')
    .toReversed()

const validatedOf = (log: WrittenLog) => answersOf(log)[0]?.annotations[0]

const asked = (text = 'Go'): WrittenLog => new WrittenLog().user(text).run()

const timeOf = (seq: number): string => new Date(WRITTEN_AT + (seq - 1) * 1000).toISOString()

const invocation = (toolCallId: string, more: object) => ({
  type: 'tool-invocation',
  toolInvocation: { toolCallId, toolName: 'get_weather', args: { city: 'Paris' }, ...more },
})

describe('[API2] seed 001', () => {
  test('[API2] its message flow: what is the weather in Paris', () => {
    const log = new WrittenLog()
      .user("What's the weather in Paris?")
      .run()
      .text("I'll check the weather")
      .call('call_123')
      .result('call_123', '{temp: 20}')
      .text('The weather in Paris is 20°C')
      .done()
    // The example shows two assistant messages; its code flushes once, and the code wins.
    expect(of(log)).toEqual([
      {
        id: log.responseId,
        role: 'assistant',
        // Its last step began when the call was settled.
        createdAt: timeOf(7),
        content: 'The weather in Paris is 20°C',
        parts: [
          { type: 'text', text: "I'll check the weather" },
          invocation('call_123', { state: 'result', result: '{temp: 20}' }),
          { type: 'text', text: 'The weather in Paris is 20°C' },
        ],
        annotations: [
          { toolCallId: 'call_123', validated: 'not_required', isComplete: true },
          { messageId: log.responseId, isComplete: true },
        ],
      },
      { id: 'm1', role: 'user', createdAt: timeOf(2), content: "What's the weather in Paris?" },
    ])
  })

  test('[API2] its test of several calls: both have results, also where they settle the other way round', () => {
    const log = asked('What time is it in Tokyo and what is the weather there?')
      .call('time')
      .call('weather')
      .result('weather', 'rain')
      .result('time', 'noon')
      .text('It rains at noon.')
      .done()
    const [answer] = answersOf(log)
    expect(answer?.parts).toEqual([
      invocation('time', { state: 'result', result: 'noon' }),
      invocation('weather', { state: 'result', result: 'rain' }),
      { type: 'text', text: 'It rains at noon.' },
    ])
    expect(answer?.annotations).toHaveLength(3)
  })

  test('[API2] its test of a tool call: calling, then the result, one message with one id throughout', () => {
    const log = asked().text('Let me see.')
    const ids = new Set<string>()
    const look = (): Answer => {
      const [answer, ...others] = answersOf(log)
      expect(others).toEqual([])
      ids.add(answer!.id)
      return answer!
    }
    expect(look().annotations).toEqual([{ messageId: log.responseId, isComplete: false }])
    log.call('a')
    expect(look()).toMatchObject({
      content: '',
      parts: [{ type: 'text' }, invocation('a', { state: 'call' })],
      annotations: [{ toolCallId: 'a', validated: 'not_required', isComplete: false }],
    })
    log.result('a')
    expect(look()).toMatchObject({
      parts: [{ type: 'text' }, invocation('a', { state: 'result', result: 'fine' })],
      annotations: [{ toolCallId: 'a', isComplete: true }],
    })
    log.text('Done.')
    expect(look().annotations.at(-1)).toEqual({ messageId: log.responseId, isComplete: false })
    log.done()
    expect(look()).toMatchObject({
      content: 'Done.',
      annotations: [{ isComplete: true }, { isComplete: true }],
    })
    expect([...ids]).toEqual([log.responseId])
  })

  test('[API2] the newest comes first, and every flush empties the buffer', () => {
    const log = asked('one').call('a').result('a').text('First.').done()
    log.user('two').run().text('Second.').done()
    const messages = of(log)
    expect(messages.map(({ content }) => content)).toEqual(['Second.', 'two', 'First.', 'one'])
    expect(messages[0]).toMatchObject({ parts: [{ type: 'text', text: 'Second.' }] })
    expect(messages[0]).toHaveProperty('annotations.length', 1)
  })

  test('[API2] many steps with calls are one message', () => {
    const log = asked()
    for (const id of ['a', 'b', 'c']) log.text(`Now ${id}.`).call(id).result(id, id)
    log.text('All three.').done()
    const [answer, ...others] = answersOf(log)
    expect(others).toEqual([])
    expect(answer?.parts.map(({ type }) => type)).toEqual([
      'text',
      'tool-invocation',
      'text',
      'tool-invocation',
      'text',
      'tool-invocation',
      'text',
    ])
    expect(answer?.content).toBe('All three.')
  })
})

describe('[API2] a call', () => {
  test.each([
    ['accepted', 'accepted'],
    ['rejected', 'rejected'],
    ['expired', 'rejected'],
    ['cancelled', 'rejected'],
  ] as const)('[API2] whose decision is %s is %s', (status, validated) => {
    const log = asked().call('a').ask('a')
    const pending = { toolCallId: 'a', validated: 'pending', isComplete: false }
    expect(validatedOf(log)).toEqual(pending)
    log.decide('a', status)
    expect(validatedOf(log)).toEqual({ ...pending, validated })
    if (status === 'accepted') log.result('a')
    else log.fail('a', 'tool_denied', 'no')
    expect(validatedOf(log)).toEqual({ toolCallId: 'a', validated, isComplete: true })
  })

  test.each(['accepted', 'rejected'] as const)(
    '[API2] that a setting has %s says so, with nobody asked',
    (status) => {
      const log = asked().call('a').decide('a', status)
      expect(validatedOf(log)).toMatchObject({ validated: status })
    },
  )

  test('[API2] that asks a question needs no validation', () => {
    const log = asked().call('a', 'ask_user', '{}').question('a')
    expect(validatedOf(log)).toEqual({
      toolCallId: 'a',
      validated: 'not_required',
      isComplete: false,
    })
  })

  test.each(['tool_error', 'tool_interrupted', 'tool_denied'] as const)(
    '[API2] that ended as %s has the message of its error for a result',
    (code) => {
      const [answer] = answersOf(asked().call('a').fail('a', code, 'It was so.').done('cancelled'))
      expect(answer?.parts).toEqual([invocation('a', { state: 'result', result: 'It was so.' })])
      expect(answer?.annotations).toMatchObject([{ isComplete: true }])
    },
  )

  test.each(['', '{"city":', 'nonsense', 'null', '7', '"text"', '[1]', '{"a":'.repeat(5000)])(
    '[API2] with arguments that are no object has none: %#',
    (args) => {
      const [answer] = answersOf(asked().call('a', 'get_weather', args))
      expect(answer?.parts).toEqual([invocation('a', { state: 'call', args: {} })])
    },
  )
})

describe('[API2] a run that is cut', () => {
  test('[API2] before its last text ends in a dummy with the response’s id', () => {
    const log = asked()
      .text('Let me see.')
      .call('a')
      .fail('a', 'tool_interrupted')
      .done('cancelled')
    expect(answersOf(log)).toEqual([
      {
        id: log.responseId,
        role: 'assistant',
        createdAt: expect.any(String),
        content: '',
        parts: [
          { type: 'text', text: 'Let me see.' },
          invocation('a', { state: 'result', result: 'tool_interrupted' }),
        ],
        annotations: [{ toolCallId: 'a', validated: 'not_required', isComplete: true }],
      },
    ])
  })

  test('[API2] leaves a dummy as old as its last call, or as the message that follows', () => {
    const log = asked().call('a')
    const { seq } = log
    log.result('a').done('cancelled')
    const late = new Date(Date.parse(timeOf(seq)) + 5).toISOString()
    expect(answersOf(log)[0]?.createdAt).toBe(late)
    log.user('And now?')
    expect(answersOf(log)[0]?.createdAt).toBe(timeOf(log.seq))
  })

  test('[API2] gives nothing to the run after it, also with no message between', () => {
    const log = asked().call('a').result('a').done('failed')
    const cut = log.responseId
    log.run().text('I went on.').done()
    expect(answersOf(log).map(({ id, content }) => [id, content])).toEqual([
      [cut, ''],
      [log.responseId, 'I went on.'],
    ])
    expect(answersOf(log)[1]?.parts).toHaveLength(1)
  })

  test('[API2] in its text is not complete', () => {
    const log = asked().text('Once upon', 'interrupted').done('cancelled')
    expect(answersOf(log)).toMatchObject([
      {
        content: 'Once upon',
        annotations: [{ messageId: log.responseId, isComplete: false }],
      },
    ])
  })

  test('[API2] in its thinking has no text to flush with', () => {
    const log = asked().think('Hm', undefined, 'interrupted').done('cancelled')
    expect(answersOf(log)).toMatchObject([
      {
        id: log.responseId,
        content: '',
        parts: [{ type: 'reasoning', reasoning: 'Hm' }],
        annotations: [],
      },
    ])
  })

  test('[API2] before its first word leaves nothing', () => {
    expect(answersOf(asked().done('cancelled'))).toEqual([])
  })
})

describe('[API2] a text that was cut and went on', () => {
  test('[API2] after a crash is two messages, the first not complete, each with an id of its own', () => {
    const log = asked().text('One, two, thr', 'interrupted').again()
    log.call('a').result('a').text('Three.').done()
    expect(answersOf(log)).toMatchObject([
      {
        id: `${log.responseId}-1`,
        content: 'One, two, thr',
        annotations: [{ messageId: `${log.responseId}-1`, isComplete: false }],
      },
      {
        id: log.responseId,
        content: 'Three.',
        annotations: [{ toolCallId: 'a' }, { messageId: log.responseId, isComplete: true }],
      },
    ])
  })

  test('[API2] after a failed provider call is not complete, even where its words were whole', () => {
    const log = asked().text('I will look.').retry().text('Here it is.').done()
    expect(answersOf(log).map(({ annotations }) => annotations)).toMatchObject([
      [{ isComplete: false }],
      [{ isComplete: true }],
    ])
  })
})

const said = (): WrittenLog => asked().text('Let me see.').call('a').text('One moment.').endStep()
const contents = (log: WrittenLog): string[] => answersOf(log).map(({ content }) => content)

describe('[API2] words after a call in the same answer of the provider', () => {
  test('[API2] are of its step, before and after the call is settled', () => {
    const log = said()
    expect(contents(log)).toEqual([''])
    log.result('a')
    expect(contents(log)).toEqual([''])
    log.text('Done.')
    expect(contents(log)).toEqual(['Done.'])
    log.done()
    expect(contents(log)).toEqual(['Done.'])
    expect(answersOf(log)[0]?.annotations).toHaveLength(2)
  })

  test('[API2] are no answer where the run is stopped after the result', () => {
    expect(answersOf(said().result('a').done('cancelled'))).toMatchObject([
      { content: '', annotations: [{ toolCallId: 'a', isComplete: true }] },
    ])
  })

  test('[API2] are none where they are cut with the call, which is settled before them', () => {
    const log = asked().text('Let me see.').call('a').text('One mo', 'open')
    log.fail('a', 'tool_interrupted')
    const { seq } = log
    log.add({
      type: 'text_done',
      responseId: log.responseId,
      partId: 'p2',
      text: 'One mom',
      interrupted: true,
    })
    log.done('cancelled')
    expect(contents(log)).toEqual([''])
    // A log is read without the deltas that were superseded.
    log.events.splice(seq - 2, 1)
    expect(contents(log)).toEqual([''])
  })

  test('[API2] and after a thought that was a call, too', () => {
    const log = asked().think('A mirror?', 't1').text('Hm.').endStep()
    expect(contents(log)).toEqual([''])
    log.text('A mirror.').done()
    expect(contents(log)).toEqual(['A mirror.'])
  })
})

test('[API2] each message is as old as the step that says it, and none is older than the one before', () => {
  const log = asked().text('One, two, thr', 'interrupted').again()
  const again = log.seq
  log.call('a').endStep().result('a')
  const settled = log.seq
  log.text('Three.').done()
  expect(answersOf(log).map(({ createdAt }) => createdAt)).toEqual([timeOf(3), timeOf(settled)])
  expect(again).toBeLessThan(settled)
})

describe('[API2] beside text and calls', () => {
  test('[API2] thinking is reasoning, and a think call is a call that shows as one', () => {
    const log = asked().think('Hm.').text('Let me think.').think('It is a mirror.', 't1')
    log.endStep().text('A mirror.').done()
    expect(answersOf(log)).toMatchObject([
      {
        content: 'A mirror.',
        parts: [
          { type: 'reasoning', reasoning: 'Hm.' },
          { type: 'text', text: 'Let me think.' },
          { type: 'reasoning', reasoning: 'It is a mirror.' },
          { type: 'text', text: 'A mirror.' },
        ],
        annotations: [{ messageId: log.responseId, isComplete: true }],
      },
    ])
  })

  test('[API2] a steer parts the answer: a dummy above it, the rest below', () => {
    const log = asked('Find a name').call('a').result('a')
    const above = log.responseId
    log.steer('A short one').text('Mistral.').done()
    expect(of(log).map(({ id, content }) => [id, content])).toEqual([
      [log.responseId, 'Mistral.'],
      ['m2', 'A short one'],
      [above, ''],
      ['m1', 'Find a name'],
    ])
  })

  test('[API2] an attached text comes with its message', () => {
    const attachments = [{ name: 'naïve.md', content: 'Grüße 😀', range: '1-2' }]
    const [message] = of(new WrittenLog().user('Read this', { attachments }))
    expect(message).toMatchObject({ content: 'Read this' })
    const [file] = (message as { experimental_attachments: { url: string }[] })
      .experimental_attachments
    expect(file).toMatchObject({ name: 'naïve.md (1-2)', contentType: 'text/plain' })
    const base64 = file!.url.replace('data:text/plain;charset=utf-8;base64,', '')
    expect(Buffer.from(base64, 'base64').toString()).toBe('Grüße 😀')
  })

  test('[API2] notices are left out', () => {
    const log = asked().text('Yes.').done()
    log.add({ type: 'warning', code: 'w', message: 'mind' })
    expect(of(log)).toHaveLength(2)
  })
})

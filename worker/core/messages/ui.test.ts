import { convertToModelMessages, validateUIMessages } from 'ai'
import { describe, expect, test } from 'vitest'
import type { Part, ToolPart } from '#protocol/turns'
import { WRITTEN_AT, WrittenLog } from '../../testing/node/written-log.ts'
import { EMPTY_STEPS, markSteps } from './steps.ts'
import { toUiMessages, type UiMessage, type UiToolPart } from './ui.ts'

/** As the public package reads them: it must find nothing wrong and nothing left over. */
async function validOf({ state, events }: WrittenLog): Promise<UiMessage[]> {
  const messages = toUiMessages(state.turns, state.open, markSteps(events))
  const read = await validateUIMessages({ messages })
  expect(read).toEqual(messages)
  await convertToModelMessages(read)
  return messages
}

const asked = (text = 'Go'): WrittenLog => new WrittenLog().user(text).run()

const answerOf = async (log: WrittenLog): Promise<UiMessage> => (await validOf(log))[1]!

const toolOf = async (log: WrittenLog): Promise<UiToolPart> => {
  const { parts } = await answerOf(log)
  return parts.find((part) => part.type === 'dynamic-tool')!
}

test('[API2] a whole answer, oldest first, with its steps', async () => {
  const log = asked('What is the weather in Paris?')
    .think('One city.')
    .text('Let me look.')
    .call('call_1')
    .result('call_1', '20 °C')
    .text('It has 20 °C.')
    .done()
  expect(await validOf(log)).toEqual([
    {
      id: 'm1',
      role: 'user',
      metadata: { createdAt: WRITTEN_AT + 1000, delivery: 'queue' },
      parts: [{ type: 'text', text: 'What is the weather in Paris?', state: 'done' }],
    },
    {
      id: log.responseId,
      role: 'assistant',
      metadata: {
        createdAt: WRITTEN_AT + 2000,
        runId: 'session-0123456789.3',
        model: 'scripted',
        agent: 'parley',
        outcome: 'done',
        stopReason: 'done',
        usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
        durationMs: 9,
      },
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'One city.', state: 'done' },
        { type: 'text', text: 'Let me look.', state: 'done' },
        {
          type: 'dynamic-tool',
          toolCallId: 'call_1',
          toolName: 'get_weather',
          state: 'output-available',
          input: { city: 'Paris' },
          output: '20 °C',
        },
        { type: 'step-start' },
        { type: 'text', text: 'It has 20 °C.', state: 'done' },
      ],
    },
  ])
})

test('[API2] becomes a request in which every call is followed by its answer', async () => {
  const log = asked().text('Two.').call('a').call('b').result('b', 'B').fail('a', 'tool_error', 'A')
  log
    .call('c')
    .ask('c')
    .decide('c', 'rejected', 'not now')
    .fail('c', 'tool_denied')
    .text('So.')
    .done()
  const messages = await validOf(log)
  const model = await convertToModelMessages(await validateUIMessages({ messages }))
  expect(model.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'tool',
    'assistant',
  ])
  expect(model[2]).toMatchObject({
    content: [
      { type: 'tool-result', toolCallId: 'a', output: { type: 'error-text', value: 'A' } },
      { type: 'tool-result', toolCallId: 'b', output: { type: 'text', value: 'B' } },
    ],
  })
  expect(model[4]).toMatchObject({
    content: [
      { type: 'tool-approval-response', approved: false },
      { type: 'tool-result', toolCallId: 'c', output: { type: 'error-text', value: 'not now' } },
    ],
  })
})

describe('[API2] a call', () => {
  const input = { city: 'Paris' }

  test('[API2] is available, then has its output, and says where that was cut', async () => {
    const log = asked().call('a')
    expect(await toolOf(log)).toMatchObject({ state: 'input-available', input })
    log.add({
      type: 'tool_result',
      callId: 'a',
      toolName: '',
      ok: true,
      result: 'long',
      truncated: true,
      durationMs: 1,
    })
    expect(await toolOf(log)).toMatchObject({
      state: 'output-available',
      output: 'long',
      toolMetadata: { truncated: true },
    })
  })

  test('[API2] whose arguments still stream shows them as far as they are', async () => {
    const { state } = asked()
    const tool: ToolPart = {
      kind: 'tool',
      callId: 'a',
      toolName: 'get_weather',
      arguments: '{"ci',
      status: 'preparing',
      startedAt: 0,
      output: '',
    }
    const open = { ...state.open!, parts: [tool] as Part[] }
    const messages = toUiMessages([], open, EMPTY_STEPS.marks)
    expect(await validateUIMessages({ messages })).toEqual(messages)
    expect(messages[0]?.parts[1]).toMatchObject({ state: 'input-streaming', rawInput: '{"ci' })
  })

  test.each(['tool_error', 'tool_interrupted'] as const)(
    '[API2] that ended as %s says why, and what it had put out',
    async (code) => {
      const log = asked()
        .call('a')
        .add({
          type: 'tool_result',
          callId: 'a',
          toolName: '',
          ok: false,
          result: 'half of it',
          error: { code, message: 'It was so.' },
          durationMs: 1,
        })
      expect(await toolOf(log)).toMatchObject({
        state: 'output-error',
        errorText: 'It was so.\nOutput so far:\nhalf of it',
      })
    },
  )

  test('[API2] that waits for a person has what they are asked', async () => {
    const log = asked().call('a').ask('a')
    expect(await toolOf(log)).toMatchObject({
      state: 'approval-requested',
      input,
      approval: {
        id: 'session-0123456789.d5',
        requestReason: 'it deletes',
        descriptor: { command: 'rm -rf build', severity: 'high', status: 'pending' },
      },
    })
  })

  test('[API2] that a person accepted runs, then ends, with their yes', async () => {
    const log = asked().call('a').ask('a').decide('a', 'accepted', 'go on')
    const approval = { id: 'session-0123456789.d5', approved: true, reason: 'go on' }
    expect(await toolOf(log)).toMatchObject({ state: 'approval-responded', approval })
    const { events } = log
    const failed = new WrittenLog()
    failed.events.splice(0, 1, ...events)
    expect(await toolOf(log.result('a'))).toMatchObject({ state: 'output-available', approval })
    failed.fail('a', 'tool_interrupted', 'cut')
    expect(await toolOf(failed)).toMatchObject({
      state: 'output-error',
      errorText: 'cut',
      approval,
    })
  })

  test.each(['rejected', 'expired', 'cancelled'] as const)(
    '[API2] whose decision is %s is denied, with the reason given or the answer it got',
    async (status) => {
      const log = asked().call('a').ask('a').decide('a', status)
      expect(await toolOf(log)).toMatchObject({
        state: 'approval-responded',
        approval: { approved: false },
      })
      log.fail('a', status === 'cancelled' ? 'tool_interrupted' : 'tool_denied', 'It was not done.')
      expect(await toolOf(log)).toMatchObject({
        state: 'output-denied',
        approval: { approved: false, reason: 'It was not done.', descriptor: { status } },
      })
    },
  )

  test('[API2] that a setting decided names no person', async () => {
    const log = asked().call('a').decide('a', 'accepted', 'reads only').result('a')
    expect(await toolOf(log)).toMatchObject({
      state: 'output-available',
      approval: { id: 'a', approved: true, isAutomatic: true, requestReason: 'reads only' },
    })
    const denied = asked().call('a').fail('a', 'tool_denied', 'Not in this mode.')
    expect(await toolOf(denied)).toMatchObject({
      state: 'output-denied',
      approval: { id: 'a', approved: false, isAutomatic: true, reason: 'Not in this mode.' },
    })
  })

  test('[API2] that asks a question carries it', async () => {
    const tool = await toolOf(asked().call('a', 'ask_user', '{}').question('a'))
    expect(tool).toMatchObject({
      state: 'input-available',
      toolMetadata: { question: { questions: [{ id: 'q', options: ['a', 'b'] }] } },
    })
  })

  test.each(['', '{"city":', '[1]', '{"a":'.repeat(5000)])(
    '[API2] with arguments that are no object has none: %#',
    async (args) => {
      expect(await toolOf(asked().call('a', 'x', args))).toMatchObject({ input: {} })
    },
  )
})

describe('[API2] beside text and calls', () => {
  test('[API2] text that streams says so; text that was cut is done, and the message says it', async () => {
    const log = asked().text('Once', 'open')
    expect(await answerOf(log)).toMatchObject({
      parts: [{ type: 'step-start' }, { type: 'text', text: 'Once', state: 'streaming' }],
    })
    const cut = await answerOf(asked().text('Once', 'interrupted').done('cancelled'))
    expect(cut).toMatchObject({
      metadata: { interrupted: true, outcome: 'cancelled' },
      parts: [{ type: 'step-start' }, { text: 'Once', state: 'done' }],
    })
  })

  test('[API2] an answer that has said nothing is not there', async () => {
    expect(await validOf(asked())).toHaveLength(1)
    expect(await validOf(asked().done('cancelled'))).toHaveLength(1)
  })

  test('[API2] a steer parts the answer into two messages', async () => {
    const log = asked().call('a').result('a')
    const above = log.responseId
    log.steer('Shorter').text('Yes.').done()
    expect((await validOf(log)).map(({ id }) => id)).toEqual(['m1', above, 'm2', log.responseId])
  })

  test('[API2] notices and changed files are data, in their place', async () => {
    const file = { path: 'a.ts', action: 'created', additions: 1, deletions: 0 } as const
    const log = asked().call('a')
    log.add({
      type: 'files_changed',
      checkpointId: 'c3',
      files: [{ ...file, before: null, after: 'h', size: 1 }],
    })
    log.result('a').retry().text('Done.').done()
    expect((await answerOf(log)).parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool' },
      { type: 'data-changes', id: 'c3', data: { checkpointId: 'c3', files: [{ path: 'a.ts' }] } },
      { type: 'step-start' },
      { type: 'data-notice', data: { level: 'warning', code: 'model_retry' } },
      { type: 'text', text: 'Done.' },
    ])
    log.add({ type: 'warning', code: 'w', message: 'mind' })
    expect((await validOf(log)).at(-1)).toMatchObject({
      id: `notice.${log.seq}`,
      role: 'assistant',
      parts: [{ type: 'data-notice', data: { message: 'mind' } }],
    })
  })

  test('[API2] an attached text is a file of its message', async () => {
    const attachments = [{ name: 'a.md', content: 'Grüße 😀' }]
    const log = new WrittenLog().user('Read this', { attachments })
    const [message] = await validOf(log)
    const url = `data:text/plain;charset=utf-8;base64,${Buffer.from('Grüße 😀').toString('base64')}`
    expect(message?.parts).toEqual([
      { type: 'text', text: 'Read this', state: 'done' },
      { type: 'file', mediaType: 'text/plain', filename: 'a.md', url },
    ])
  })
})

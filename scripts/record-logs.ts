// Records the logs of worker/testing/logs: real runs of the real engine, with the state they fold
// to. Run it when the engine writes something new (`node scripts/record-logs.ts`), and read the
// diff: a log that was recorded once must replay for ever, so an old one is only ever replaced for
// a reason.

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fold } from '#protocol/reduce'
import { ModelError } from '../worker/core/session/model.ts'
import { SessionHarness } from '../worker/testing/node/session-harness.ts'

type Scenario = (harness: SessionHarness) => Promise<void>

async function send(harness: SessionHarness, text: string, delivery?: 'steer'): Promise<void> {
  harness.command({ type: 'send', text, ...(delivery === undefined ? {} : { delivery }) })
  await harness.settle()
}

async function finish(
  harness: SessionHarness,
  stopReason?: 'stop' | 'tool_calls' | 'length',
): Promise<void> {
  harness.model.current.finish(stopReason)
  await harness.settle()
}

/** One second's worth of words at a time, so that there are rows to supersede. */
function stream(harness: SessionHarness, kind: 'text' | 'thinking', chunks: string[]): void {
  for (const text of chunks) {
    harness.model.current.emit({ type: kind, text })
    harness.timers.advance(500)
  }
}

function callTool(harness: SessionHarness, id: string, toolName: string, args: object): void {
  const text = JSON.stringify(args)
  harness.model.current
    .emit({ type: 'tool_input', id, toolName, text: text.slice(0, 4) })
    .emit({ type: 'tool_input', id, toolName, text: text.slice(4) })
    .emit({ type: 'tool_call', id, toolName, arguments: text })
}

const scenarios: Record<string, { what: string; play: Scenario }> = {
  'thinking-and-parallel-tools': {
    what: 'A run with thinking, two tools that settle in the other order, one of them with output, and an answer.',
    async play(harness) {
      await send(harness, 'What is the weather in Paris and in Tokyo?')
      stream(harness, 'thinking', ['Two cities, ', 'two calls.'])
      stream(harness, 'text', ['Let me look ', 'that up.'])
      callTool(harness, 'call_paris', 'weather', { city: 'Paris' })
      callTool(harness, 'call_tokyo', 'weather', { city: '東京' })
      await finish(harness, 'tool_calls')
      const [paris, tokyo] = harness.tools.open
      tokyo?.context.output('asking the station …\n', 'stdout')
      harness.timers.advance(500)
      tokyo?.context.output('a warning\n', 'stderr')
      harness.timers.advance(500)
      tokyo?.settle({ ok: true, result: '21 °C', truncated: true })
      await harness.settle()
      harness.timers.advance(250)
      paris?.settle({
        ok: false,
        error: { code: 'tool_error', message: 'The station does not answer.' },
      })
      await harness.settle()
      stream(harness, 'text', ['Tokyo has 21 °C 😀', '; Paris did ', 'not answer.'])
      await finish(harness)
    },
  },
  'cancel-in-text': {
    what: 'A cancel in the middle of an answer keeps what was said.',
    async play(harness) {
      await send(harness, 'Tell me a long story')
      stream(harness, 'text', ['Once upon a time ', 'there was a '])
      harness.model.current.text('dr')
      harness.command({ type: 'cancel' })
      await harness.settle()
    },
  },
  'cancel-in-tool': {
    what: 'A cancel while one of two tools still runs: text, then tools, each settled.',
    async play(harness) {
      await send(harness, 'Search twice')
      stream(harness, 'text', ['I will search twice.'])
      callTool(harness, 'call_1', 'search', { q: 'one' })
      callTool(harness, 'call_2', 'search', { q: 'two' })
      await finish(harness, 'tool_calls')
      harness.tools.open[0]?.settle({ ok: true, result: 'found' })
      await harness.settle()
      harness.tools.open[0]?.context.output('half of it')
      harness.timers.advance(500)
      harness.command({ type: 'cancel', audioTruncatedAtMs: 1200 })
      await harness.settle()
    },
  },
  'crash-and-continuation': {
    what: 'The object dies in an answer and again in a tool; the run goes on by itself, then ends.',
    async play(harness) {
      await send(harness, 'Count to three and look it up')
      stream(harness, 'text', ['One, two, ', 'thr'])
      harness.crash()
      await harness.settle()
      callTool(harness, 'call_1', 'search', { q: 'three' })
      callTool(harness, 'call_2', 'safe_search', { q: 'three' })
      await finish(harness, 'tool_calls')
      harness.crash()
      await harness.settle()
      harness.tools.open[0]?.settle({ ok: true, result: '3' })
      await harness.settle()
      stream(harness, 'text', ['Three. ', 'That is all.'])
      await finish(harness)
    },
  },
  'crash-too-often': {
    what: 'The third death in one run stops it, visibly, and holds what waits.',
    async play(harness) {
      await send(harness, 'Hello')
      await send(harness, 'And this afterwards')
      for (const word of ['first', 'second', 'third']) {
        stream(harness, 'text', [`the ${word} attempt says`])
        harness.crash()
        await harness.settle()
      }
    },
  },
  steer: {
    what: 'Two steers enter together at the next step; the answer goes on below them.',
    async play(harness) {
      await send(harness, 'Find a name for a boat')
      callTool(harness, 'call_1', 'search', { q: 'boat names' })
      await finish(harness, 'tool_calls')
      await send(harness, 'A short one', 'steer')
      await send(harness, 'And in French', 'steer')
      harness.tools.open[0]?.settle({ ok: true, result: 'many' })
      await harness.settle()
      stream(harness, 'text', ['« Mistral » is ', 'short and French.'])
      await finish(harness)
    },
  },
  'queue-held-and-released': {
    what: 'Two messages wait, are edited and moved, held by a cancel, released by a send.',
    async play(harness) {
      await send(harness, 'First')
      harness.command({ type: 'send', text: 'Second', id: 'second' })
      harness.command({ type: 'send', text: 'Third', id: 'third' })
      harness.command({ type: 'queue_edit', itemId: 'second', text: 'Second, edited' })
      harness.command({ type: 'queue_move', itemId: 'third', before: 'second' })
      stream(harness, 'text', ['An answer that is cut'])
      harness.command({ type: 'cancel' })
      await send(harness, 'Before those')
      for (const answer of ['Before.', 'Third answered.', 'Second answered.']) {
        stream(harness, 'text', [answer])
        await finish(harness)
      }
    },
  },
  clear: {
    what: 'A cleared session starts again: the log stays, the transcript does not.',
    async play(harness) {
      await send(harness, 'Remember the number 7')
      stream(harness, 'text', ['I will remember it.'])
      await finish(harness)
      harness.command({ type: 'configure', title: 'Numbers', pinned: true, recovery: 'stop' })
      harness.command({ type: 'clear' })
      await send(harness, 'Which number?')
      stream(harness, 'text', ['I know of none.'])
      await finish(harness)
    },
  },
  failed: {
    what: 'A provider that fails in the middle of an answer; the next run is fine.',
    async play(harness) {
      await send(harness, 'Hello')
      await send(harness, 'Are you there?')
      stream(harness, 'text', ['Hello and w'])
      harness.model.current.fail(new ModelError('model_unavailable', 'The provider is gone.'))
      await harness.settle()
      harness.command({ type: 'continue' })
      await harness.settle()
      stream(harness, 'text', ['elcome.'])
      await finish(harness)
      stream(harness, 'text', ['I am here.'])
      await finish(harness, 'length')
    },
  },
  'think-tool': {
    what: 'A think call is thinking, never a tool block; a cancel can come in the middle of one.',
    async play(harness) {
      await send(harness, 'A riddle')
      const thought = JSON.stringify({ thought: 'Is it a "mirror"?\nMaybe 😀.' })
      for (let at = 0; at < thought.length; at += 9) {
        const text = thought.slice(at, at + 9)
        harness.model.current.emit({ type: 'tool_input', id: 't1', toolName: 'think', text })
        harness.timers.advance(450)
      }
      harness.model.current.emit({
        type: 'tool_call',
        id: 't1',
        toolName: 'think',
        arguments: thought,
      })
      await finish(harness, 'tool_calls')
      harness.model.current.emit({
        type: 'tool_input',
        id: 't2',
        toolName: 'think',
        text: '{"thought":"Or a sh',
      })
      harness.timers.advance(450)
      harness.command({ type: 'cancel' })
      await harness.settle()
    },
  },
}

/** One event a line: a diff shows which event is different. */
function toText(name: string, what: string, harness: SessionHarness): string {
  const events = harness.events().map((event) => `    ${JSON.stringify(event)}`)
  const state = JSON.stringify(fold(harness.events()), null, 2).replaceAll('\n', '\n  ')
  return [
    '{',
    `  "name": ${JSON.stringify(name)},`,
    `  "what": ${JSON.stringify(what)},`,
    `  "events": [\n${events.join(',\n')}\n  ],`,
    `  "state": ${state}`,
    '}\n',
  ].join('\n')
}

for (const [name, { what, play }] of Object.entries(scenarios)) {
  const harness = await SessionHarness.create()
  await play(harness)
  const file = new URL(`../worker/testing/logs/${name}.json`, import.meta.url)
  writeFileSync(fileURLToPath(file), toText(name, what, harness))
  console.log(`${name}: ${harness.events().length} events`)
}

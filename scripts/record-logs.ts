// Records the logs of worker/testing/logs: real runs of the real engine, with the state they fold
// to. Run it when the engine writes something new (`node scripts/record-logs.ts`), and read the
// diff: a log that was recorded once must replay for ever, so an old one is only ever replaced for
// a reason.

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fold } from '#protocol/reduce'
import { estimateRequest } from '../worker/core/session/context.ts'
import { ModelError } from '../worker/core/session/model.ts'
import { ScriptedModel } from '../worker/testing/node/scripted-model.ts'
import { newAgentWorld } from '../worker/testing/node/agent-world.ts'
import { SessionHarness } from '../worker/testing/node/session-harness.ts'
import type { WorkspacePath } from '../worker/core/workspace/workspace.ts'

type Scenario = (harness: SessionHarness) => Promise<void>

async function send(harness: SessionHarness, text: string, delivery?: 'steer'): Promise<void> {
  harness.command({ type: 'send', text, ...(delivery === undefined ? {} : { delivery }) })
  await harness.settle()
}

async function finish(
  harness: SessionHarness,
  stopReason?: 'stop' | 'tool_calls' | 'length',
  model = harness.model,
): Promise<void> {
  model.current.finish(stopReason)
  await harness.settle()
}

/** The provider breaks, and the wait before the next try passes. */
async function breakOff(harness: SessionHarness, waitMs = 0): Promise<void> {
  harness.model.current.fail(new ModelError('model_unavailable', 'The provider is gone.'))
  await harness.settle()
  harness.timers.advance(waitMs)
  await harness.settle()
}

/** The model must be asked for a summary now, or the log would not be what it says it is. */
async function summarise(harness: SessionHarness, text: string): Promise<void> {
  const { system } = harness.model.current.request
  if (system !== 'You summarise conversations.') throw new Error('no summary is asked for')
  harness.model.current.text(text)
  await finish(harness)
}

/** One question and its answer. Two of them fit into a window of 1500, and a question more does not. */
async function longTurn(harness: SessionHarness, topic: string): Promise<void> {
  const wish = `Leave out nothing about ${topic}. `.repeat(50)
  await send(harness, `Tell me all about ${topic}. ${wish}`)
  stream(harness, 'text', [`This is known of ${topic}: `, `${topic} is a long story. `.repeat(50)])
  const { current } = harness.model
  const inputTokens = estimateRequest(current.request)
  current.finishWith({ inputTokens, outputTokens: 260, cachedTokens: 0 })
  await harness.settle()
}

/** One second's worth of words at a time, so that there are rows to supersede. */
function stream(
  harness: SessionHarness,
  kind: 'text' | 'thinking',
  chunks: string[],
  model = harness.model,
): void {
  for (const text of chunks) {
    model.current.emit({ type: kind, text })
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
      harness.model.current.fail(new ModelError('model_bad_request', 'The provider refuses.'))
      await harness.settle()
      harness.command({ type: 'continue' })
      await harness.settle()
      stream(harness, 'text', ['elcome.'])
      await finish(harness)
      stream(harness, 'text', ['I am here.'])
      await finish(harness, 'length')
    },
  },
  'retry-then-success': {
    what: 'A stream that breaks twice is taken up again; what the model repeats is not said twice.',
    async play(harness) {
      await send(harness, 'Count to six')
      stream(harness, 'text', ['One, two, ', 'three, '])
      await breakOff(harness, 300)
      await breakOff(harness, 1200)
      stream(harness, 'text', ['two, three, ', 'four, five, ', 'six.'])
      await finish(harness)
    },
  },
  'fallback-mid-text': {
    what: 'A model that stays away in the middle of an answer; the next one of the list goes on.',
    async play(harness) {
      harness.fallbacks = ['backup']
      await send(harness, 'Count to six')
      stream(harness, 'text', ['One, two, ', 'three, '])
      await breakOff(harness, 300)
      await breakOff(harness, 1200)
      await breakOff(harness)
      stream(harness, 'text', ['four, five, ', 'six.'], harness.backup)
      await finish(harness, 'stop', harness.backup)
    },
  },
  compaction: {
    what: 'The window is nearly full: what came before becomes a summary, then the run answers.',
    async play(harness) {
      harness.model = new ScriptedModel('scripted', { window: 1500 })
      for (const topic of ['the sea', 'the moon']) await longTurn(harness, topic)
      await send(harness, 'And which of them is older?')
      await summarise(harness, 'They spoke of the sea and of the moon.')
      stream(harness, 'text', ['The moon, ', 'by a little.'])
      await finish(harness)
    },
  },
  'compact-by-hand': {
    what: 'A person asks for room: a run that only summarises, and a turn after it.',
    async play(harness) {
      harness.model = new ScriptedModel('scripted', { window: 1500 })
      await longTurn(harness, 'the sea')
      harness.command({ type: 'compact' })
      await harness.settle()
      await summarise(harness, 'They spoke of the sea.')
      await send(harness, 'What did we speak of?')
      stream(harness, 'text', ['Of ', 'the sea.'])
      await finish(harness)
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
  decisions: {
    what: 'A call is edited and allowed for the session, one like it is let through, one is rejected.',
    async play(harness) {
      const { tools } = harness
      const deploy = { kind: 'tool', toolName: 'deploy', arguments: '{}', readOnly: false } as const
      tools.actions.set('deploy', deploy)
      tools.actions.set('mail', { ...deploy, toolName: 'mail' })
      tools.questions.set('ask_user', [
        { id: 'where', text: 'Where to?', options: ['here', 'there'] },
      ])
      tools.plans.set('update_plan', {
        title: 'Deploy',
        steps: [{ id: '1', text: 'Deploy', status: 'active' }],
      })
      await send(harness, 'Deploy it, and tell them')
      stream(harness, 'text', ['I will deploy it ', 'and write a mail.'])
      callTool(harness, 'call_1', 'deploy', { to: 'prod' })
      callTool(harness, 'call_2', 'mail', {})
      callTool(harness, 'call_3', 'ask_user', {})
      callTool(harness, 'call_4', 'update_plan', {})
      await finish(harness, 'tool_calls')
      const [first, second] = harness.core.folded.decisions.map(({ decisionId }) => decisionId)
      const edits = { arguments: '{"to":"test"}' }
      await harness.tryLater({
        type: 'decide',
        decisionId: first,
        verdict: 'accept',
        scope: 'session',
        edits,
      })
      await harness.settle()
      await settleTool(harness, 'deployed')
      harness.command({ type: 'decide', decisionId: second, verdict: 'reject', reason: 'Not now.' })
      const { questionId } = harness.core.folded.questions[0]!
      harness.command({ type: 'answer', questionId, answers: { where: 'there' } })
      await harness.settle()
      callTool(harness, 'call_5', 'deploy', {})
      await finish(harness, 'tool_calls')
      await settleTool(harness, 'deployed again')
      harness.command({ type: 'rule_remove', ruleId: first })
      callTool(harness, 'call_6', 'deploy', {})
      await finish(harness, 'tool_calls')
      harness.command({ type: 'cancel' })
      await harness.settle()
    },
  },
  files: {
    what: 'An agent writes files; a person undoes a piece, keeps the rest, and meets a conflict.',
    async play(harness) {
      await send(harness, 'Write a list')
      stream(harness, 'text', ['I will write ', 'two files.'])
      callTool(harness, 'call_1', 'write', {})
      await finish(harness, 'tool_calls')
      await write(harness, 'list.txt', 'one\ntwo\nthree\n')
      await write(harness, 'notes.md', '# Notes\n')
      await settleTool(harness, 'written')
      await finish(harness)
      await send(harness, 'Change it')
      callTool(harness, 'call_2', 'write', {})
      await finish(harness, 'tool_calls')
      await write(harness, 'list.txt', 'ONE\ntwo\nTHREE\n')
      await write(harness, 'notes.md', null)
      await settleTool(harness, 'written')
      await finish(harness)
      const [, second] = harness.core.folded.changes.map(({ checkpointId }) => checkpointId)
      const path = 'list.txt'
      await harness.tryLater({ type: 'undo', checkpointId: second, path, hunk: 0 })
      await harness.tryLater({ type: 'keep', checkpointId: second, path })
      const [first] = harness.core.folded.changes.map(({ checkpointId }) => checkpointId)
      await harness.tryLater({ type: 'undo', checkpointId: first, path })
    },
  },
  missions: {
    what: 'A mission prompts an agent twice; stopping pauses it, the second time the agent ends it.',
    async play(harness) {
      const mission = { text: 'Keep the list short', everyMinutes: 5, maxPrompts: 3 }
      harness.command({ type: 'mission_set', id: 'mission-1', ...mission })
      const override = { instructions: 'Be brief.', mode: 'ask' }
      harness.command({ type: 'override_set', agentId: 'parley', override })
      await ring(harness, 5)
      stream(harness, 'text', ['The list has ', 'nine entries.'])
      harness.command({ type: 'cancel' })
      harness.command({ type: 'mission_resume' })
      await ring(harness, 5)
      stream(harness, 'text', ['It is short ', 'enough now.'])
      callTool(harness, 'call_1', 'mission_done', { summary: 'Three entries are left.' })
      await finish(harness, 'tool_calls')
      await settleTool(harness, 'The mission is over.')
      await finish(harness)
      harness.command({ type: 'override_set', agentId: 'parley', override: null })
      harness.command({ type: 'mission_clear' })
    },
  },
}

async function ring(harness: SessionHarness, minutes: number): Promise<void> {
  harness.timers.advance(minutes * 60_000)
  await harness.core.alarm()
  await harness.settle()
}

/** The path is one that `parsePath` would give. */
const write = (harness: SessionHarness, path: string, text: string | null): Promise<void> =>
  harness.tools.open[0]!.context.workspace.apply([
    { path: path as WorkspacePath, bytes: text === null ? null : new TextEncoder().encode(text) },
  ])

async function settleTool(harness: SessionHarness, result: string): Promise<void> {
  harness.tools.open[0]!.settle({ ok: true, result })
  await harness.settle()
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

function record(name: string, what: string, harness: SessionHarness): void {
  const file = new URL(`../worker/testing/logs/${name}.json`, import.meta.url)
  writeFileSync(fileURLToPath(file), toText(name, what, harness))
  console.log(`${name}: ${harness.events().length} events`)
}

for (const [name, { what, play }] of Object.entries(scenarios)) {
  const harness = await SessionHarness.create()
  await play(harness)
  record(name, what, harness)
}

/** One agent asks another, is called back by it, and starts a child that has to ask a person. */
async function playAgents(): Promise<void> {
  const world = newAgentWorld()
  const asking = await world.create('session-0123456789', 'assistant')
  const asked = await world.create('session-9876543210', 'researcher')
  const to = 'session-9876543210'
  const say = (harness: SessionHarness, text: string): Promise<void> => {
    stream(harness, 'text', [text.slice(0, 12)])
    return world.say(harness, text.slice(12))
  }
  asking.command({ type: 'configure', sensitivePatterns: ['.env'] })
  asking.command({ type: 'send', text: 'Find out and write it down' })
  await world.settle()
  await world.call(asking, 'agents_message', { to, message: 'When is high tide?' })
  await world.call(asked, 'current_time', {})
  await say(asked, 'At noon, as far as I can tell.')
  await world.call(asking, 'agents_message', { to, message: 'And tomorrow?', wait: false })
  await world.call(asking, 'agents_spawn', { task: 'Write TIDE=noon into .env' })
  const { childSessionId } = asking.core.folded.children[0]!
  const child = world.at(childSessionId)
  await world.call(child, 'write_file', { path: '.env', content: 'TIDE=noon' })
  const [wait] = asking.core.folded.children[0]!.waits
  await asking.tryLater({ type: 'decide', decisionId: wait!.id, verdict: 'accept' })
  await world.settle()
  await say(child, 'It is written down.')
  await say(asking, 'Done; tomorrow is still being looked up.')
  await say(asked, 'An hour later.')
  await say(asking, 'Tomorrow it is at one.')
  asking.command({ type: 'send', text: 'Ask once more' })
  await world.settle()
  await world.call(asking, 'agents_message', { to, message: 'Sure?' })
  asking.command({ type: 'cancel' })
  await world.settle()
  record(
    'agents-asking',
    'An agent asks, is called back, starts a child, and is cancelled.',
    asking,
  )
  record('agents-asked', 'An agent answers another one, with a call, later, and not at all.', asked)
  record('child', 'A child writes into its parent’s workspace after a person said yes.', child)
}

await playAgents()

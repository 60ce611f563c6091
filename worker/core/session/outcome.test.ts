// What a command came to is looked at before it is kept, by the real shell and the real policy.

import { beforeAll, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import type { SavedRule } from '#protocol/decision-events'
import { agentDeps, newAgentWorld } from '../../testing/node/agent-world.ts'
import type { AgentWorld } from '../../testing/node/agent-world.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import { watchTools } from '../../testing/node/watched-starts.ts'
import { loadShellParser } from '../policy/shell-parser.ts'

// Loaded when it is first needed: here before anything is counted on.
beforeAll(async () => void (await loadShellParser()))

const running: Promise<unknown>[] = []

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

const filesOf = ({ core }: SessionHarness): string[] => core.files.list().map(({ path }) => path)

const saved = (kind: SavedRule['kind'], verdict: SavedRule['verdict'], pattern: string) => ({
  ruleId: `${verdict} ${pattern}`,
  verdict,
  kind,
  pattern,
  description: pattern,
  createdAt: 1,
})

/** A coder whose commands are approved unasked, with a few files in its workspace. */
async function newCoder(): Promise<{ world: AgentWorld; harness: SessionHarness }> {
  const tools = watchTools(agentDeps().tools, (done) => void running.push(done))
  const world = newAgentWorld({ tools })
  const harness = await world.create('session-outcome-0001', 'coder')
  harness.command({
    type: 'configure',
    mode: 'agent',
    autoApproveCommands: true,
    autoApproveSensitiveEdits: true,
    sensitivePatterns: ['*.key', 'docs/private'],
  })
  await world.ask(harness)
  for (const path of ['conf.d/a.key', 'conf.d/b.txt', 'docs/x.md', 'evil/x.md', 'a.txt']) {
    // oxlint-disable-next-line no-await-in-loop
    await world.call(harness, 'write_file', { path, content: `of ${path}\n` })
  }
  return { world, harness }
}

/** Every tool that was started has ended, and what follows from that has happened. */
async function ended(world: AgentWorld): Promise<void> {
  await world.settle()
  for (let seen = -1; seen < running.length;) {
    seen = running.length
    // oxlint-disable-next-line no-await-in-loop
    await Promise.all(running)
    // oxlint-disable-next-line no-await-in-loop
    await world.settle()
  }
}

async function bash(world: AgentWorld, harness: SessionHarness, command: string): Promise<void> {
  await world.call(harness, 'bash', { command })
  await ended(world)
}

async function answer(world: AgentWorld, harness: SessionHarness, verdict: 'accept' | 'reject') {
  const { decisionId } = harness.core.folded.decisions[0]!
  harness.command({ type: 'decide', decisionId, verdict })
  await ended(world)
}

test('[DEC3] a folder called like a file is not moved unasked: its sensitive files are seen', async () => {
  const { world, harness } = await newCoder()
  const before = filesOf(harness)
  await bash(world, harness, 'mv conf.d other.d')
  expect(filesOf(harness)).toEqual(before)
  expect(harness.core.folded.decisions).toMatchObject([
    { kind: 'command', severity: 'critical', title: 'mv conf.d other.d' },
  ])
  expect(harness.core.folded.decisions[0]?.reason).toContain('conf.d/a.key (deleted)')
  // Neither a result nor output: it has not run yet.
  expect(ofType(harness, 'tool_result').filter(({ toolName }) => toolName === 'bash')).toEqual([])
  await answer(world, harness, 'accept')
  expect(filesOf(harness)).toContain('other.d/a.key')
  expect(filesOf(harness)).not.toContain('conf.d/a.key')
  expect(ofType(harness, 'tool_result').at(-1)).toMatchObject({ toolName: 'bash', ok: true })
  expect(ofType(harness, 'files_changed').length).toBeGreaterThan(5)
})

test('[DEC3] [DEC4] what turned out to be more is asked about after an eviction, too', async () => {
  const { world, harness } = await newCoder()
  const before = filesOf(harness)
  await bash(world, harness, 'mv conf.d other.d')
  harness.crash()
  await world.settle()
  expect(harness.core.folded.decisions).toHaveLength(1)
  await answer(world, harness, 'reject')
  expect(filesOf(harness)).toEqual(before)
  expect(ofType(harness, 'tool_result').at(-1)).toMatchObject({
    ok: false,
    error: { code: 'tool_denied' },
  })
})

test('[DEC3] what is not sensitive goes unasked where it was named, one by one', async () => {
  const { world, harness } = await newCoder()
  await bash(world, harness, 'mv a.txt b.txt')
  expect(harness.core.folded.decisions).toEqual([])
  expect(filesOf(harness)).toContain('b.txt')
  await world.call(harness, 'write_file', { path: 'notes.d/a.md', content: 'a' })
  await bash(world, harness, 'mv notes.d x.d')
  expect(harness.core.folded.decisions[0]?.reason).toBe(
    'would delete what it does not name: notes.d/a.md (deleted)',
  )
})

test('[DEC2] a file that a rule denies is not changed by what a person accepted', async () => {
  const { world, harness } = await newCoder()
  harness.rules.push(saved('file_edit', 'deny', 'docs/x.md'))
  await bash(world, harness, 'cp -r evil/. docs')
  await answer(world, harness, 'accept')
  expect(ofType(harness, 'tool_result').at(-1)).toMatchObject({
    ok: false,
    error: {
      code: 'tool_denied',
      message: 'Nothing was changed: a saved rule denies changes of docs/x.md.',
    },
  })
  await bash(world, harness, 'cat docs/x.md')
  expect(ofType(harness, 'tool_result').at(-1)?.result).toContain('of docs/x.md')
})

test('[DEC2] [DEC3] a rule for exactly this text changes the sensitive file that it names, no other', async () => {
  const { world, harness } = await newCoder()
  harness.rules.push(saved('command', 'allow', 'echo x > conf.d/a.key'))
  harness.rules.push(saved('command', 'allow', 'cp -r conf.d/. docs'))
  await bash(world, harness, 'echo x > conf.d/a.key')
  expect(ofType(harness, 'tool_result').at(-1)).toMatchObject({ ok: true })
  await world.call(harness, 'write_file', { path: 'evil/private/a', content: 'x' })
  harness.rules.push(saved('command', 'allow', 'for f in evil/*; do cp -r "$f" docs; done'))
  await bash(world, harness, 'for f in evil/*; do cp -r "$f" docs; done')
  expect(harness.core.folded.decisions).toEqual([])
  harness.rules.push(saved('command', 'allow', 'cd docs; cp -r "$x" "$y"; cp x.md "${z:-y.key}"'))
  await bash(world, harness, 'cd docs; cp -r "$x" "$y"; cp x.md "${z:-y.key}"')
  expect(harness.core.folded.decisions).toMatchObject([
    { severity: 'high', reason: 'would change what is sensitive: docs/y.key' },
  ])
})

// Ten agents that pass a word around a ring, and ask and answer in a star, while their objects are
// evicted at random (AGT2). What was lost or doubled is counted in the logs.

import { expect, test } from 'vitest'
import { HOPS } from '#protocol/limits'
import { AutomaticWorld } from '../../testing/node/automatic-world.ts'
import { hashPromptly } from '../../testing/node/prompt-hash.ts'
import type { ModelPart, ModelRequest } from './model.ts'

hashPromptly()

const AGENTS = 10
const EXCHANGES = 1000

/** What a person says, and one agent to the next: `ring 3`, `star`, `leaf`; and whether to wait. */
const WORD = /<(ring|star|leaf) (\d+) (wait|go on)>/g

class Circle extends AutomaticWorld {
  /** Hands on what it was told to hand on; all else is answered at once. */
  protected answer(self: number, { messages }: ModelRequest): ModelPart[] {
    const said = messages.findLastIndex(({ role }) => role === 'assistant')
    const heard = JSON.stringify(messages.slice(said + 1).filter(({ role }) => role === 'user'))
    const calls = [...heard.matchAll(WORD)].flatMap(([, what, left, wait]) => {
      const rest = Number(left) - 1
      const isWaited = wait === 'wait'
      if (what === 'star')
        return this.others(self).map((to) => this.tell(to, LEAF(isWaited), isWaited))
      if (what === 'leaf' || rest < 0) return []
      return [this.tell(self + 1, toRing(rest, isWaited), isWaited)]
    })
    return calls.length > 0 ? calls : [this.word()]
  }

  private others(self: number): number[] {
    return Array.from({ length: AGENTS - 1 }, (_, index) => self + 1 + index)
  }
}

const toWait = (wait: boolean): string => (wait ? 'wait' : 'go on')
const toRing = (left: number, wait: boolean): string => `<ring ${left} ${toWait(wait)}>`
const LEAF = (wait: boolean): string => `<leaf 0 ${toWait(wait)}>`

const sorted = (ids: readonly string[]): string[] => ids.toSorted()

test('[AGT2] [AGT4] ten agents in a ring and a star: 1,000 exchanges, nothing lost, nothing doubled', async () => {
  const world = new Circle(20261118, AGENTS)
  await world.createAll()
  const anyone = () => world.random.pick(world.agents)
  const words = [
    // Everybody at once, and nobody waits: ten words go round as far as a word may go.
    () => world.agents.map((agent) => [agent, toRing(HOPS, false)] as const),
    () => [[anyone(), toRing(HOPS, true)] as const],
    () => [[anyone(), '<star 0 wait>'] as const],
    // Everybody at once, and all wait: it would stand still.
    () => world.agents.map((agent) => [agent, toRing(1, true)] as const),
    () => [
      [world.agents[0]!, '<star 0 go on>'] as const,
      [world.agents[5]!, '<star 0 go on>'] as const,
    ],
  ]
  for (let round = 0; world.of('exchange_started').length < EXCHANGES; round++) {
    for (const [agent, text] of words[round % words.length]!())
      agent.command({ type: 'send', text })
    await world.live()
    // Else most of the time goes into reading what was said before.
    for (const agent of world.agents) agent.command({ type: 'clear' })
  }
  const exchanges = world.of('exchange_started')
  const answers = world.of('agent_callback_result')
  const started = sorted(exchanges.map(({ exchangeId }) => exchangeId))
  expect(started.length).toBeGreaterThanOrEqual(EXCHANGES)
  expect(new Set(started).size).toBe(started.length)
  expect(sorted(answers.map(({ exchangeId }) => exchangeId))).toEqual(started)
  // A word went round as far as it may.
  expect(Math.max(...exchanges.map(({ hops }) => hops))).toBe(HOPS)
  // Refused was what stood in a circle of those who wait, and nothing else; nobody heard it.
  const refused = answers.filter(({ ok }) => !ok)
  expect(refused.length).toBeGreaterThan(0)
  for (const { result } of refused) expect(result).toContain('waits for you')
  const unheard = new Set(refused.map(({ exchangeId }) => exchangeId))
  const heard = sorted(world.of('agent_message').map(({ exchangeId }) => exchangeId))
  expect(heard).toEqual(started.filter((id) => !unheard.has(id)))
  const runs = new Set(world.of('run_started').map(({ runId }) => runId))
  const ends = world.of('run_done')
  expect(sorted(ends.map(({ runId }) => runId))).toEqual(sorted([...runs]))
  expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['done']))
  for (const harness of world.agents) {
    expect(harness.core.folded).toEqual({ ...harness.folded(), turns: [] })
  }
  expect(world.evictions.asleep).toBeGreaterThan(100)
  expect(world.evictions.working).toBeGreaterThan(100)
})

// What people and models do at random, where several sessions work together.

import type { Command } from '#protocol/commands'
import type { QueueItem } from '#protocol/events'
import type { SessionState } from '#protocol/state'
import type { RandomSource } from '../random-source.ts'

export type Call = readonly [toolName: string, input: Record<string, unknown>]

/** More would only be slower: what there is to meet is met by then. */
const SESSIONS = 9
const NAMES = ['researcher', 'coder', 'planner', 'nobody']

export class RandomActs {
  /** Messages that people put before or behind others. */
  readonly moved = new Set<string>()
  private readonly random: RandomSource
  private texts = 0

  constructor(random: RandomSource) {
    this.random = random
  }

  words(): string {
    return `words ${++this.texts}. `
  }

  command(
    type: string,
    { queue, decisions, questions }: SessionState,
  ): ({ type: Command['type'] } & Record<string, unknown>) | null {
    const { random } = this
    switch (type) {
      case 'send': {
        const delivery = random.pick(['queue', 'queue', 'queue', 'steer', 'interrupt'])
        return { type, text: `message ${++this.texts}`, delivery }
      }
      case 'cancel':
      case 'clear':
      case 'continue':
        return { type }
      case 'wait': {
        const asked = [...decisions, ...questions]
        if (asked.length === 0) return null
        const one = random.pick(asked)
        if ('questionId' in one) {
          return { type: 'answer', questionId: one.questionId, answers: { 1: 'yes' } }
        }
        const verdict = random.pick(['accept', 'reject'])
        return { type: 'decide', decisionId: one.decisionId, verdict }
      }
      default:
        return queue.items.length === 0 ? null : this.changeQueue(queue.items)
    }
  }

  private changeQueue(items: readonly QueueItem[]) {
    const { random } = this
    const { itemId } = random.pick(items)
    const type = random.pick(['queue_remove', 'queue_move', 'queue_send_now'] as const)
    if (type !== 'queue_remove') this.moved.add(itemId)
    if (type !== 'queue_move') return { type, itemId }
    return { type, itemId, before: random.chance(0.3) ? null : random.pick(items).itemId }
  }

  /** `ids`: of the sessions that there are. */
  call(ids: readonly string[]): Call {
    const { random } = this
    const canMake = ids.length < SESSIONS
    const what = random.weighted({ message: 8, spawn: 3, write: 1, ask: 0.7, count: 1 })
    const text = `text ${++this.texts}`
    if (what === 'spawn' && canMake) return ['agents_spawn', { task: text }]
    switch (what) {
      case 'write':
        return ['write_file', { path: '.env', content: text }]
      case 'ask':
        return ['ask_user', { questions: [{ text: 'Yes?' }] }]
      case 'count':
        return ['calculate', { expression: '1+1' }]
      default: {
        const to = random.pick(canMake ? [...ids, ...NAMES] : ids)
        const time = random.pick([{}, {}, { timeoutSeconds: 60 }, { timeoutSeconds: 900 }])
        return ['agents_message', { to, message: text, wait: random.chance(0.5), ...time }]
      }
    }
  }
}

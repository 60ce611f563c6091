// What a letter of another session changes here, and one of ours that could not be delivered. Pure,
// like every other decision; that it is taken once is seen to where letters are stored.

import type { Callback } from '#protocol/agent-events'
import type { QueueItem } from '#protocol/events'
import type { OpenChild, OpenExchange, SessionState } from '#protocol/state'
import type { Accepted, Decision, DecideContext } from './decide-types.ts'
import {
  answerWithdrawn,
  findChild,
  findExchange,
  recordAnswer,
  recordChildResult,
  toCallbackItem,
  toFailedCallback,
  toFailedChild,
  toQueueItem,
} from './exchanges.ts'
import { UNREACHABLE, type Letter, type Owed } from './letters.ts'
import { Plan, refuse } from './plan.ts'
import { addItem, fitsQueue } from './queue.ts'

export function decideLetter(
  state: SessionState,
  letter: Letter,
  context: DecideContext,
): Decision {
  const plan = new LetterPlan(state, context)
  switch (letter.type) {
    case 'message':
      return plan.message(toQueueItem(letter))
    case 'spawn':
      return plan.spawn(letter)
    case 'answer':
      return plan.answer(letter)
    case 'child_progress':
      return plan.progress(letter)
    case 'child_result':
      return plan.childResult(letter)
    case 'cancel':
      return plan.cancel(letter)
  }
}

/** It will never arrive: whatever hung on it ends, visibly. */
export function decideUndelivered(
  state: SessionState,
  letter: Letter,
  why: { code: string; message: string },
  context: DecideContext,
): Accepted {
  return new LetterPlan(state, context).undelivered(letter, why)
}

/** It has not arrived for long, and is tried again for as long as it takes. */
export function decideOverdue(state: SessionState, letter: Owed, context: DecideContext): Accepted {
  return new LetterPlan(state, context).overdue(letter)
}

/** The session that they are with is not there any more. null: there are none. */
export function decideLostContacts(
  state: SessionState,
  helperId: string,
  context: DecideContext,
): Accepted | null {
  const exchanges = unanswered(state).filter(({ toSessionId }) => toSessionId === helperId)
  const children = state.children.filter(({ childSessionId }) => childSessionId === helperId)
  if (exchanges.length + children.length === 0) return null
  return new LetterPlan(state, context).lose(exchanges, children)
}

/** Exchanges and children whose answer has not come in time. null: there are none. */
export function decideLateContacts(state: SessionState, context: DecideContext): Accepted | null {
  const late = unanswered(state).filter(({ expiresAt }) => expiresAt <= context.now)
  const lost = state.children.filter(({ expiresAt }) => expiresAt <= context.now)
  if (late.length + lost.length === 0) return null
  return new LetterPlan(state, context).expire(late, lost)
}

/** An answer that waits in the queue has come in time, however long a person lets it wait there. */
export const unanswered = ({ exchanges, queue }: SessionState): OpenExchange[] =>
  exchanges.filter(({ exchangeId }) => queue.items.every(({ itemId }) => itemId !== exchangeId))

class LetterPlan extends Plan {
  message(item: QueueItem): Decision {
    // Whoever wrote it has not heard yet that it was all stopped here.
    const isUnwanted = item.exchange?.asker.worksFor?.some(this.context.wasCancelled)
    if (isUnwanted === true) return refuse('not_found', 'what it was for has been stopped there')
    return this.mustWait(item) ? this.enqueue(item) : this.start(item)
  }

  /** Behind a run; and in a queue that a person holds, behind what came from the same session. */
  private mustWait(item: QueueItem): boolean {
    const { run, queue } = this.draft.state
    const sender = senderOf(item)
    return run.status === 'running' || queue.items.some((one) => senderOf(one) === sender)
  }

  /** The first thing that a child ever hears. */
  spawn({ runId, childRunId, task, asker }: Extract<Letter, { type: 'spawn' }>): Decision {
    if (this.draft.state.seq !== 1) return this.accept({})
    const { sessionId: fromSessionId, agent: from, hops } = asker
    const message = { messageId: childRunId, exchangeId: childRunId, from, fromSessionId, hops }
    this.draft.add({ type: 'agent_message', ...message, text: task })
    return this.accept({ runId: this.startRun('answer', { parentRunId: runId, asker }) })
  }

  answer({ callback, budget }: Extract<Letter, { type: 'answer' }>): Accepted {
    const open = findExchange(this.draft.state, callback.exchangeId)
    if (open !== undefined) this.close(open, callback, budget)
    return this.accept({})
  }

  progress(letter: Extract<Letter, { type: 'child_progress' }>): Accepted {
    const { childRunId, status, activity, tools, waits } = letter
    const child = findChild(this.draft.state, childRunId)
    if (child !== undefined) {
      const told = { status, activity, tools, waits: [...waits] }
      const { runId } = child
      this.draft.add({ type: 'subagent_progress', runId, childRunId, ...told })
    }
    return this.accept({})
  }

  childResult(letter: Extract<Letter, { type: 'child_result' }>): Accepted {
    const child = findChild(this.draft.state, letter.childRunId)
    if (child !== undefined) {
      recordChildResult(this.draft, child, letter)
      this.goOn(child.callId)
    }
    return this.accept({})
  }

  /** What it was to bring is not wanted any more: it only settles. */
  cancel({ exchangeIds, childRunIds }: Extract<Letter, { type: 'cancel' }>): Accepted {
    const { run, queue } = this.draft.state
    const withdrawn = queue.items.filter(
      ({ exchange }) => exchange !== undefined && exchangeIds.includes(exchange.exchangeId),
    )
    if (withdrawn.length > 0) {
      const isKept = (item: QueueItem): boolean => !withdrawn.includes(item)
      this.setQueue(queue.items.filter(isKept))
      for (const item of withdrawn) answerWithdrawn(this.draft, item, WITHDRAWN)
    }
    if (run.status !== 'running') return this.accept({})
    const isUnwanted =
      childRunIds.includes(run.runId) ||
      (run.exchangeId !== undefined && exchangeIds.includes(run.exchangeId))
    if (isUnwanted) {
      this.endCancelled('parent')
      this.goOnForAgents()
    }
    return this.accept({})
  }

  undelivered(letter: Letter, why: { code: string; message: string }): Accepted {
    switch (letter.type) {
      case 'message': {
        const open = findExchange(this.draft.state, letter.exchangeId)
        if (open === undefined) break
        const isKnown = why.code !== UNREACHABLE
        const result = `Not delivered: ${why.message}.`
        this.close(open, toFailedCallback(open, result), isKnown ? open.budget : 0)
        if (!isKnown) this.cancelElsewhere(open)
        break
      }
      case 'spawn': {
        const child = findChild(this.draft.state, letter.childRunId)
        if (child === undefined) break
        recordChildResult(this.draft, child, toFailedChild(child, `Not started: ${why.message}.`))
        if (why.code === UNREACHABLE) this.cancelChild(child)
        this.goOn(child.callId)
        break
      }
      // The other session is gone: there is nobody to miss it.
      case 'answer':
      case 'child_result':
      case 'cancel':
      case 'child_progress':
    }
    return this.accept({})
  }

  overdue(letter: Owed): Accepted {
    this.draft.add({ type: 'warning', code: 'undelivered', message: UNDELIVERED[letter.type] })
    return this.accept({})
  }

  lose(exchanges: readonly OpenExchange[], children: readonly OpenChild[]): Accepted {
    for (const open of exchanges) this.close(open, toFailedCallback(open, LOST), 0)
    for (const child of children) {
      recordChildResult(this.draft, child, toFailedChild(child, LOST))
      this.goOn(child.callId)
    }
    return this.accept({})
  }

  expire(late: readonly OpenExchange[], lost: readonly OpenChild[]): Accepted {
    for (const open of late) {
      const result = `${open.toAgent} did not answer in time.`
      // What it was given may be spent: giving it back would let it be spent twice.
      this.close(open, toFailedCallback(open, result), 0)
      this.cancelElsewhere(open)
    }
    for (const child of lost) {
      recordChildResult(this.draft, child, toFailedChild(child, 'It did not end in time.'))
      this.cancelChild(child)
      this.goOn(child.callId)
    }
    return this.accept({})
  }

  /** It may be at work there: also where nobody heard that it had arrived. */
  private cancelElsewhere({ toSessionId, exchangeId, cancelled }: OpenExchange): void {
    if (cancelled === true) return
    this.draft.post(toSessionId, { type: 'cancel', exchangeIds: [exchangeId], childRunIds: [] })
  }

  private cancelChild({ childSessionId, childRunId }: OpenChild): void {
    this.draft.post(childSessionId, { type: 'cancel', exchangeIds: [], childRunIds: [childRunId] })
  }

  /** Exactly one answer for each exchange, in whichever way it is of use. */
  private close(open: OpenExchange, callback: Callback, budget: number): void {
    const { queue } = this.draft.state
    // Its answer came although nobody heard that the message had arrived.
    if (queue.items.some(({ itemId }) => itemId === open.exchangeId)) return
    if (open.wait || open.cancelled === true) {
      recordAnswer(this.draft, open, { callback, budget })
      if (open.cancelled !== true) this.goOn(open.callId)
      return
    }
    const item = toCallbackItem(callback, open, budget)
    if (!this.mustWait(item)) {
      this.start(item)
      return
    }
    const next = addItem(queue.items, item)
    // It may not be lost: without a place in the queue it is only shown.
    if (!fitsQueue(next)) return recordAnswer(this.draft, open, { callback, budget }, 'queue_full')
    this.setQueue(next)
  }

  private start(item: QueueItem): Accepted {
    const seq = this.deliver(item)
    return this.accept({ seq, queued: false, runId: this.startRun() })
  }

  /** The loop has something to do when nothing is waited for any more, and not before. */
  private goOn(callId: string): void {
    const { run } = this.draft.state
    if (run.status === 'running' && run.waiting !== true) this.resume(callId)
  }
}

/** The session whose messages, or answers, have to be read in the order in which it sent them. */
const senderOf = ({ itemId, exchange, callback }: QueueItem): string => {
  if (exchange !== undefined) return `message of ${exchange.asker.sessionId}`
  return callback === undefined ? itemId : `answer of ${callback.sessionId}`
}

const WITHDRAWN = 'It was taken back before it was read.'
const LOST = 'The session that worked on it is not there any more.'
const UNDELIVERED = {
  answer: 'An answer is not delivered yet: the session that had asked cannot be reached.',
  child_result: 'The result is not delivered yet: the parent session cannot be reached.',
  cancel: 'Another session that works for this one could not be told to stop yet.',
} as const

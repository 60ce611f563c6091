// What waits for a person in the open session, and what they say to it. Loaded with the first card.

import { computed, signal, type Signal } from '@preact/signals'
import type { Answers } from '#protocol/decision-events'
import type { InboxEntry } from '#protocol/hub'
import type { Response, ToolPart } from '#protocol/turns'
import { ApiError, CommandError } from '../../sdk/errors.ts'
import { randomId } from '../../sdk/random-id.ts'
import type { DecideOptions } from '../../sdk/session-commands.ts'
import { api } from './client.ts'
import { focusComposer } from './drafts.ts'
import { identity } from './identity.ts'
import { folded, handle, open, turns } from './session.ts'
import { showToast } from './toasts.ts'

/** As they stand in the transcript. */
export const waits = computed(() => {
  const { decisions, questions, open: response } = folded.value
  const places = (response?.parts ?? []).map((part) => (part.kind === 'tool' ? part.callId : ''))
  return [...decisions, ...questions].toSorted(
    (a, b) => places.indexOf(a.callId) - places.indexOf(b.callId),
  )
})

/** In children of this session, and in theirs. `agent`: of the child that it came through. */
export const childWaits = computed(() =>
  folded.value.children.flatMap(({ agent, waits: told }) => told.map((wait) => ({ agent, wait }))),
)

export const plan = computed(() => folded.value.plan)

const planCallIn = ({ parts }: Pick<Response, 'parts'>): string | undefined =>
  parts.findLast(
    (part): part is ToolPart =>
      part.kind === 'tool' && part.toolName === 'update_plan' && part.status === 'success',
  )?.callId

const settledPlanCall = computed(() => {
  for (const turn of turns.value.toReversed()) {
    const callId = turn.kind === 'assistant' ? planCallIn(turn) : undefined
    if (callId !== undefined) return callId
  }
  return undefined
})

/** The call at which the plan is shown: where it was updated last. */
export const planCall = computed(
  () => (open.value && planCallIn(open.value)) ?? settledPlanCall.value,
)

/** Answers on their way. A card that is looked at again must not offer to answer twice. */
export const sending = signal<ReadonlySet<string>>(new Set())

function mark(id: string, isSending: boolean): void {
  const next = new Set(sending.peek())
  if (isSending) next.add(id)
  else next.delete(id)
  sending.value = next
}

/** Resolves to what is wrong with it, or null. Offline it waits, like a message. */
export const decide = (
  decisionId: string,
  callId: string,
  verdict: 'accept' | 'reject',
  options: DecideOptions,
): Promise<string | null> =>
  submit(
    decisionId,
    () => handle.peek()?.decide(decisionId, verdict, options),
    () => toastQuicker(callId),
  )

export const answer = (
  questionId: string,
  callId: string,
  answers: Answers,
): Promise<string | null> =>
  submit(
    questionId,
    () => handle.peek()?.answer(questionId, answers),
    () => toastQuicker(callId),
  )

/** From the inbox: the chat that asked need not be open, and a toast would be behind the dialog. */
export const decideAt = (
  { id, sessionId }: Pick<InboxEntry, 'id' | 'sessionId'>,
  verdict: 'accept' | 'reject',
): Promise<string | null> => {
  const command = { type: 'decide', id: randomId(), decisionId: id, verdict } as const
  return submit(
    id,
    () => api.command(sessionId, command),
    () => QUICKER,
  )
}

const QUICKER = 'Somebody was quicker, or nobody waits for this any more.'

async function submit(
  id: string,
  ask: () => Promise<unknown> | undefined,
  tellQuicker: () => string | null,
): Promise<string | null> {
  if (sending.peek().has(id)) return null
  mark(id, true)
  try {
    await ask()
    drafts.delete(id)
    // It stays marked: the event that closes the card is on its way.
    return null
  } catch (error) {
    if (isQuicker(error)) {
      drafts.delete(id)
      return tellQuicker()
    }
    mark(id, false)
    return error instanceof Error ? error.message : String(error)
  }
}

const isQuicker = (error: unknown): boolean =>
  (error instanceof CommandError || error instanceof ApiError) && error.code === 'already_decided'

const findCall = (callId: string): ToolPart | undefined =>
  [open.peek(), ...turns.peek().toReversed()]
    .flatMap((turn) => (turn !== null && 'parts' in turn ? turn.parts : []))
    .find((part): part is ToolPart => part.kind === 'tool' && part.callId === callId)

export const nameOf = (by: string | undefined): string =>
  identity.value.status === 'in' && identity.value.me.owner === by ? 'you' : (by ?? 'somebody')

function toastQuicker(callId: string): null {
  showToast(describeQuicker(callId))
  return null
}

function describeQuicker(callId: string): string {
  const call = findCall(callId)
  // Of another chat: what was said to it is in that one.
  if (call === undefined) return QUICKER
  const { decision, question } = call
  const by = nameOf(decision?.by ?? question?.by)
  const who = by === 'you' ? 'you, in another place' : by
  if (question?.answers !== undefined) return `Already answered by ${who}.`
  if (decision?.status === 'accepted') return `Already accepted by ${who}.`
  if (decision?.status === 'rejected') return `Already rejected by ${who}.`
  return 'Nobody waits for this any more.'
}

/** What was changed or written and not sent: a look at another chat must not lose it. */
const drafts = new Map<string, Signal<unknown>>()

export function draftFor<T>(id: string, initial: T): Signal<T> {
  const held = drafts.get(id) as Signal<T> | undefined
  if (held !== undefined) return held
  const made = signal(initial)
  drafts.set(id, made)
  return made
}

const openCards = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('.wait-card:not([aria-busy=true])'),
]

export function showCard(card: HTMLElement): void {
  const isTall = card.offsetHeight > innerHeight * 0.6
  card.scrollIntoView({ block: isTall ? 'start' : 'center' })
  card.focus({ preventScroll: true })
}

/** The one after that which has the focus, and the first again after the last. */
export function goToNextCard(): void {
  const cards = openCards()
  const at = cards.findIndex((card) => card.contains(document.activeElement))
  const next = cards[(at + 1) % cards.length]
  if (next !== undefined) showCard(next)
}

/** After an answer, here or elsewhere: to the next open card, or back to the message field. */
export function leaveCard(card: HTMLElement): void {
  if (!card.contains(document.activeElement)) return
  const cards = openCards().filter((other) => !card.contains(other))
  const after = cards.find(
    (other) => card.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING,
  )
  const next = after ?? cards[0]
  if (next !== undefined) showCard(next)
  // A phone would open its keyboard.
  else if (matchMedia('(pointer: fine)').matches) focusComposer()
}

document.addEventListener('keydown', (event) => {
  // By the key's place: with Alt it may write another character.
  if (!event.altKey || event.code !== 'KeyJ' || event.ctrlKey || event.metaKey) return
  if (event.defaultPrevented || document.querySelector('dialog[open]')) return
  event.preventDefault()
  goToNextCard()
})

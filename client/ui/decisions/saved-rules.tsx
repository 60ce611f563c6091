import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { SavedRule } from '#protocol/decision-events'
import { Icon } from '../shell/icon.tsx'
import { api } from '../state/client.ts'
import { config, handle } from '../state/session.ts'
import { showFailure } from '../state/toasts.ts'

function removeOfSession(ruleId: string): void {
  handle.peek()?.removeRule(ruleId).catch(showFailure('Could not remove the rule'))
}

export function SessionRules() {
  const { rules } = config.value
  return <RuleList title="Rules of this chat" rules={rules} onRemove={removeOfSession} />
}

/** Of every chat of this person: kept beside the sessions, and asked for when it is looked at. */
export function OwnerRules() {
  const rules = useSignal<readonly SavedRule[] | null>(null)
  useEffect(() => {
    let isGone = false
    api
      .listRules()
      .then((listed) => !isGone && (rules.value = listed), showFailure('Could not load your rules'))
    return () => {
      isGone = true
    }
  }, [])
  const remove = async (ruleId: string): Promise<void> => {
    try {
      await api.removeRule(ruleId)
      rules.value = (rules.peek() ?? []).filter((rule) => rule.ruleId !== ruleId)
    } catch (error) {
      showFailure('Could not remove the rule')(error)
    }
  }
  if (rules.value === null) return null
  return (
    <RuleList
      title="Rules of all your chats"
      rules={rules.value}
      onRemove={(ruleId) => void remove(ruleId)}
    />
  )
}

type Props = {
  title: string
  rules: readonly SavedRule[]
  onRemove: (ruleId: string) => void
}

function RuleList({ title, rules, onRemove }: Props) {
  return (
    <section class="rule-list" aria-label={title}>
      <h3>{title}</h3>
      {rules.length === 0 && <p class="card-place">None: “Always…” on a card saves one.</p>}
      <ul>
        {rules.map(({ ruleId, verdict, description }) => (
          <li key={ruleId} data-rule={ruleId}>
            <span>
              <b>{verdict === 'allow' ? 'Accept' : 'Reject'}</b> {description}
            </span>
            <button
              type="button"
              class="icon-button"
              aria-label={`Remove the rule: ${description}`}
              title="Remove"
              onClick={() => onRemove(ruleId)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

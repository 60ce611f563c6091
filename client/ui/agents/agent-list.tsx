import { useSignal } from '@preact/signals'
import type { AgentSummary } from '#protocol/http'
import { MODE_NAMES } from '../composer/names.ts'
import { Icon } from '../shell/icon.tsx'
import { agents } from '../state/choice.ts'
import { api } from '../state/client.ts'
import { listProblem, loadAgents } from '../state/lists.ts'
import { toProblem } from './agent-draft.ts'

type Props = {
  onNew: () => void
  onEdit: (agent: AgentSummary) => void
  onCopy: (agent: AgentSummary) => void
  /** The buttons of a row that had the focus are there no more. */
  onRowGone: () => void
}

export function AgentList({ onNew, onEdit, onCopy, onRowGone }: Props) {
  const asked = useSignal<string | null>(null)
  const problem = useSignal('')
  const remove = async (name: string): Promise<void> => {
    problem.value = ''
    try {
      await api.deleteAgent(name)
    } catch (error) {
      problem.value = `Could not delete ${name}: ${toProblem(error).message}`
    }
    asked.value = null
    await loadAgents()
    onRowGone()
  }
  return (
    <div class="agents-body">
      <ul class="agent-rows">
        {agents.value.map((agent) => (
          <li key={agent.name} class="agent-row" data-agent={agent.name}>
            {asked.value === agent.name ? (
              <Confirmation
                name={agent.name}
                onDelete={() => void remove(agent.name)}
                onKeep={() => {
                  asked.value = null
                  onRowGone()
                }}
              />
            ) : (
              <Row
                agent={agent}
                onEdit={() => onEdit(agent)}
                onCopy={() => onCopy(agent)}
                onDelete={() => (asked.value = agent.name)}
              />
            )}
          </li>
        ))}
      </ul>
      <p class="agents-problem" role="alert">
        {problem.value || listProblem.value}
      </p>
      <button type="button" class="soft-button agents-new" autoFocus onClick={onNew}>
        <Icon name="plus" /> New agent
      </button>
    </div>
  )
}

type RowProps = {
  agent: AgentSummary
  onEdit: () => void
  onCopy: () => void
  onDelete: () => void
}

function Row({ agent, onEdit, onCopy, onDelete }: RowProps) {
  const { name, description, colour, mode, builtIn } = agent
  const buttons = [
    ...(builtIn ? [] : [['pencil', `Edit ${name}`, onEdit] as const]),
    ['copy', `Make one like ${name}`, onCopy] as const,
    ...(builtIn ? [] : [['trash', `Delete ${name}`, onDelete] as const]),
  ]
  return (
    <>
      <span class="agent-dot" data-colour={colour} />
      <span class="agent-text">
        <span class="agent-name">
          {name}
          {builtIn && <span class="agent-badge">Built in</span>}
          {mode !== 'agent' && <span class="agent-badge">{MODE_NAMES[mode]}</span>}
        </span>
        <span class="agent-detail">{description}</span>
      </span>
      {buttons.map(([icon, label, onClick]) => (
        <button
          key={icon}
          type="button"
          class="icon-button"
          aria-label={label}
          title={label}
          onClick={onClick}
        >
          <Icon name={icon} />
        </button>
      ))}
    </>
  )
}

type ConfirmationProps = { name: string; onDelete: () => void; onKeep: () => void }

function Confirmation({ name, onDelete, onKeep }: ConfirmationProps) {
  return (
    <div class="agent-confirm" role="group" aria-label={`Delete ${name}?`}>
      <span>
        Delete <b>{name}</b>? Its chats stay; assistant answers in them.
      </span>
      <button type="button" class="danger-button" onClick={onDelete}>
        Delete
      </button>
      <button type="button" class="soft-button" autoFocus onClick={onKeep}>
        Keep
      </button>
    </div>
  )
}

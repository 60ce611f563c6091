import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ToolsAnswer } from '../../sdk/api.ts'
import { api } from '../state/client.ts'
import {
  allOf,
  groupTools,
  missingTools,
  toggleTool,
  toProblem,
  type Problem,
  type ToolGroup,
} from './agent-draft.ts'
import { FieldGroup } from './field.tsx'

type Props = {
  /** Null: every tool. */
  tools: readonly string[] | null
  problem: Problem | null
  onChange: (tools: readonly string[] | null) => void
}

const NO_TOOLS: ToolsAnswer = { tools: [], warnings: [] }

export function ToolsField({ tools, problem, onChange }: Props) {
  const offered = useSignal(NO_TOOLS)
  const fault = useSignal('')
  useEffect(() => {
    api.listTools().then(
      (answer) => (offered.value = answer),
      (error: unknown) => (fault.value = `Could not load the tools: ${toProblem(error).message}`),
    )
  }, [])
  const toggle = (name: string): void => onChange(toggleTool(tools ?? [], name))
  return (
    <FieldGroup field="tools" label="Tools" problem={problem}>
      <div class="agent-choices">
        <Radio label="All" isOn={tools === null} onChoose={() => onChange(null)} />
        <Radio label="Chosen ones" isOn={tools !== null} onChoose={() => onChange(tools ?? [])} />
      </div>
      {tools !== null && (
        <div class="agent-tools">
          {groupTools(offered.value.tools).map((group) => (
            <Group key={group.server ?? ''} group={group} chosen={tools} onToggle={toggle} />
          ))}
          <Missing names={missingTools(tools, offered.value.tools)} onToggle={toggle} />
          {offered.value.warnings.map(({ message }) => (
            <p key={message} class="agent-hint">
              {message}
            </p>
          ))}
          <p class="field-problem">{fault}</p>
        </div>
      )}
    </FieldGroup>
  )
}

function Radio({ label, isOn, onChoose }: { label: string; isOn: boolean; onChoose: () => void }) {
  return (
    <label class="agent-choice">
      <input type="radio" name="agent-tools" checked={isOn} onChange={onChoose} />
      <span>{label}</span>
    </label>
  )
}

type Toggle = (name: string) => void
type GroupProps = { group: ToolGroup; chosen: readonly string[]; onToggle: Toggle }

function Group({ group: { server, tools }, chosen, onToggle }: GroupProps) {
  const hasAll = server !== null && chosen.includes(allOf(server))
  return (
    <fieldset class="agent-tool-group">
      <legend>{server ?? 'Built in'}</legend>
      {server !== null && (
        <Check
          name={allOf(server)}
          label="All of them, later ones too"
          isOn={hasAll}
          onToggle={onToggle}
        />
      )}
      {tools.map(({ name, description }) => (
        <Check
          key={name}
          name={name}
          label={server === null ? name : name.slice(server.length + 2)}
          detail={description}
          isOn={hasAll || chosen.includes(name)}
          isFixed={hasAll}
          onToggle={onToggle}
        />
      ))}
    </fieldset>
  )
}

/** A server that is away takes no tool from an agent. */
function Missing({ names, onToggle }: { names: readonly string[]; onToggle: Toggle }) {
  if (names.length === 0) return null
  return (
    <fieldset class="agent-tool-group">
      <legend>Not offered now</legend>
      {names.map((name) => (
        <Check key={name} name={name} label={name} isOn onToggle={onToggle} />
      ))}
    </fieldset>
  )
}

type CheckProps = {
  name: string
  label: string
  detail?: string
  isOn: boolean
  isFixed?: boolean
  onToggle: Toggle
}

function Check({ name, label, detail, isOn, isFixed = false, onToggle }: CheckProps) {
  return (
    <label class="agent-tool-check">
      <input
        type="checkbox"
        value={name}
        checked={isOn}
        disabled={isFixed}
        onChange={() => onToggle(name)}
      />
      <span class="agent-tool-label">{label}</span>
      {detail !== undefined && (
        <span class="agent-tool-detail" title={detail}>
          {detail}
        </span>
      )}
    </label>
  )
}

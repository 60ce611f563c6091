import type { ToolPart } from '#protocol/turns'
import { formatJson } from '../format.ts'
import { CopyButton } from '../shell/copy-button.tsx'

/** A closed block should not weigh a megabyte; the copy button has all of it. */
const SHOWN_CHARS = 20_000

function Section({ label, text }: { label: string; text: string }) {
  const shown = formatJson(text)
  const isCut = shown.length > SHOWN_CHARS
  return (
    <div class="tool-section">
      <div class="tool-section-head">
        <span>{label}</span>
        <CopyButton text={shown} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <pre>{isCut ? shown.slice(0, SHOWN_CHARS) : shown}</pre>
      {isCut && (
        <p class="tool-cut">{`${shown.length - SHOWN_CHARS} more characters: copy to see all`}</p>
      )}
    </div>
  )
}

export function ToolBody({ part }: { part: ToolPart }) {
  return (
    <div class="tool-body">
      <p class="tool-name">{part.toolName}</p>
      {part.arguments !== '' && <Section label="Arguments" text={part.arguments} />}
      {part.output !== '' && <Section label="Output" text={part.output} />}
      {part.result !== undefined && <Section label="Result" text={part.result} />}
      {part.error && <Section label="Error" text={`${part.error.code}: ${part.error.message}`} />}
    </div>
  )
}

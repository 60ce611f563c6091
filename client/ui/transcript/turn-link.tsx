import { CopyButton } from '../shell/copy-button.tsx'
import { linkTo, openSessionId } from '../state/route.ts'

export function TurnLink({ seq }: { seq: number }) {
  return (
    <CopyButton
      icon="link"
      label="Copy link to this message"
      text={() => linkTo(openSessionId.peek() ?? '', seq)}
    />
  )
}

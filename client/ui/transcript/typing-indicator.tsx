import { isBusy, phaseWords, toolWords } from '../state/phase.ts'

export function TypingIndicator() {
  if (!isBusy.value) return null
  return (
    <div class="typing-indicator">
      <span class="typing-dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span class="typing-words">{phaseWords}</span>
      {toolWords.value !== '' && <span class="typing-tools">{toolWords}</span>}
    </div>
  )
}

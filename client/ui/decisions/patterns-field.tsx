import { useSignal } from '@preact/signals'
import { findPatternProblem, readPatterns } from './read-patterns.ts'

type Props = { saved: readonly string[]; onSave: (patterns: string[]) => Promise<void> }

export function PatternsField({ saved, onSave }: Props) {
  const text = useSignal(saved.join('\n'))
  const patterns = readPatterns(text.value)
  const problem = findPatternProblem(patterns)
  const isSame = patterns.join('\n') === saved.join('\n')
  return (
    <div class="approval-patterns">
      <label for="sensitive-patterns">
        <b>Sensitive files of this chat</b>
        <span>One pattern in each line, such as config/*.yml, beside those that always count.</span>
      </label>
      <textarea
        id="sensitive-patterns"
        class="code-field"
        rows={3}
        spellcheck={false}
        value={text}
        aria-invalid={problem !== null}
        aria-describedby="patterns-problem"
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <p class="card-problem" id="patterns-problem" role="alert">
        {problem}
      </p>
      <button
        type="button"
        class="soft-button"
        data-act="save-patterns"
        disabled={isSame || problem !== null}
        onClick={() => void onSave(patterns)}
      >
        {isSame ? 'Saved' : 'Save'}
      </button>
    </div>
  )
}

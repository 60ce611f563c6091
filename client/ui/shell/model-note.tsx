import { identity } from '../state/identity.ts'
import { openSessionId } from '../state/route.ts'
import { config, isLoaded } from '../state/session.ts'

const isDemo = (model: string): boolean => /^demo\b/.test(model)

const DEMO_NOTE =
  'A small model built into Parley. It needs no key and answers from a script, so that everything can be tried.'

function readModel(): string {
  if (openSessionId.value !== null) return isLoaded.value ? config.value.model : ''
  return identity.value.status === 'in' ? identity.value.me.defaultModel : ''
}

/** A person should know what answers them, above all when it is not a real model. */
export function ModelNote() {
  const model = readModel()
  if (model === '') return null
  if (!isDemo(model)) {
    return (
      <span class="model-note" data-testid="model">
        {model}
      </span>
    )
  }
  return (
    <span class="model-note" data-testid="model" title={DEMO_NOTE}>
      Demo model<span class="model-more"> – built in, scripted answers</span>
    </span>
  )
}

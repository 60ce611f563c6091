// The interpreter, loaded when the first command comes: it is large, and most sessions never run one.

import type { LimitError } from './shell-budget.ts'
import { loadShellBundle, runPaidBy } from './shell-meter.ts'

type Interpreter = { Bash: typeof import('just-bash/browser').Bash; LimitError: LimitError }

let loading: Promise<Interpreter> | undefined

export function loadInterpreter(): Promise<Interpreter> {
  loading ??= load().catch((error: unknown) => {
    // Never keep a failure: the next command may find the package.
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<Interpreter> {
  const { Bash } = await loadShellBundle()
  // The class is not exported, so one of its errors is provoked and asked for it.
  const caught = await runPaidBy({ pay: () => {} }, () => provokeLimit(Bash))
  if (!(caught instanceof Error)) throw new Error('the shell has no limits')
  return { Bash, LimitError: caught.constructor as LimitError }
}

async function provokeLimit(Bash: Interpreter['Bash']): Promise<unknown> {
  let caught: unknown
  const bash = new Bash({
    commands: [],
    defenseInDepth: false,
    customCommands: [
      {
        name: 'probe',
        async execute(_args, { executionScope }) {
          try {
            executionScope?.consumeLimited('probe', 1, 0)
          } catch (error) {
            caught = error
          }
          return { stdout: '', stderr: '', exitCode: 0 }
        },
      },
    ],
  })
  await bash.exec('probe')
  return caught
}

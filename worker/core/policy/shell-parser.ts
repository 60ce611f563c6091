// The parser of the shell that will run the command, so that the two cannot read it differently.
// It is loaded when the first command comes: it is large, and most sessions never run one.

import type { ScriptNode } from 'just-bash'
import { loadShellBundle, runPaidBy, type Payer } from '../workspace/shell-meter.ts'

export type { ScriptNode }

export type Parsed = { ok: true; script: ScriptNode } | { ok: false; why: string }

export type ParseShell = (text: string) => Parsed

export const COMMAND_CHARS = 256 * 1024
/**
 * The parser looks for the end of each bracket, brace and quote by reading on, so a text of n of
 * them costs n times its length. 32 Ki of them cost 18 seconds.
 */
const SCAN_STEPS = 24_000_000
/** About a second: what the parser does with a text is counted as it does it. */
const PARSE_UNITS = 4 * 1024 * 1024

let loading: Promise<ParseShell> | undefined

export function loadShellParser(): Promise<ParseShell> {
  loading ??= load().catch((error: unknown) => {
    // Never keep a failure: the next command may find the package.
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<ParseShell> {
  const { Bash } = await loadShellBundle()
  // This entry does not export its parser; a transform plugin is handed what was parsed. The text
  // goes through the same preparation as in `exec`.
  const bash = runPaidBy(limitTo(PARSE_UNITS), () => new Bash({ commands: [] }))
  let script: ScriptNode | undefined
  bash.registerTransformPlugin({
    name: 'policy',
    transform: ({ ast }) => {
      script = ast
      // An empty script, so that nothing is written out again as text: nobody reads that.
      return { ast: { type: 'Script', statements: [] } }
    },
  })
  return (text) => {
    script = undefined
    if (text.length > COMMAND_CHARS) return { ok: false, why: 'it is too long' }
    if (countOpeners(text) * text.length > SCAN_STEPS)
      return { ok: false, why: 'it is too complex' }
    try {
      runPaidBy(limitTo(PARSE_UNITS), () => bash.transform(text))
    } catch (error) {
      // A RangeError is the stack, or the meter: there is no end in sight.
      const isDeep = error instanceof RangeError || /nesting|limit|too many/i.test(String(error))
      return { ok: false, why: isDeep ? 'it is too complex' : 'it is not valid shell syntax' }
    }
    if (script === undefined) return { ok: false, why: 'it could not be parsed' }
    return { ok: true, script }
  }
}

function limitTo(limit: number): Payer {
  let paid = 0
  return {
    pay: (units) => {
      paid += units
      if (paid > limit) throw new RangeError('limit: the parser takes too many steps')
    },
  }
}

function countOpeners(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // [ { $ ` < (
    if (code === 91 || code === 123 || code === 36 || code === 96 || code === 60 || code === 40)
      count++
  }
  return count
}

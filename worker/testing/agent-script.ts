// What a scripted model says that turns to other agents. Whoever is asked finds its own part in what
// it is asked: scripts are nested in the messages and tasks of other scripts.

type Step = Record<string, unknown>
type ScriptedCall = { name: string; input: object }

export const STOP = { finish: 'stop' }

export const toCall = (name: string, input: object): ScriptedCall => ({ name, input })

export const message = (to: string, text: string, more: object = {}): ScriptedCall =>
  toCall('agents_message', { to, message: text, ...more })

export const spawn = (task: string): ScriptedCall => toCall('agents_spawn', { task })

/** One reply that makes these calls at once. */
export const callAll = (...calls: readonly ScriptedCall[]): Step[] => [
  ...calls.map(({ name, input }, index) => ({
    toolCall: { id: `${name}-${index}`, name, arguments: JSON.stringify(input), index },
  })),
  { finish: 'tool_calls' },
]

export const say = (text: string): Step[] => [{ text }, STOP]

/** Says nothing before the test lets it. */
export const sayAfter = (gate: string, text: string): Step[] => [{ gate }, { text }, STOP]

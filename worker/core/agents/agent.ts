// An agent is a named configuration (AGT1): what it is told, which models and tools it has.

import type { Mode } from '#protocol/events'
import type { AgentSummary } from '#protocol/http'

export type Agent = AgentSummary

export const DEFAULT_AGENT = 'assistant'

/** Those that the page can show apart, in light and in dark. */
export const COLOURS = ['blue', 'green', 'orange', 'purple', 'red', 'teal', 'pink', 'grey'] as const

/** What the mode of a session adds to an agent's instructions (DEC7). */
const MODE_NOTES: Record<Mode, string> = {
  agent: '',
  ask: '\n\nMode: Ask. Answer and look things up; you have no tool that changes anything.',
  plan: '\n\nMode: Plan. Look things up and propose a plan in numbered steps. Do not act on it.',
}

export const toSystem = (agent: Agent, mode: Mode): string =>
  `${agent.instructions}${MODE_NOTES[mode]}`

/** What an agent is told that nobody told anything. */
export const BASE_INSTRUCTIONS = `You are an assistant in Parley, a durable chat. Answer in Markdown. Use a tool when
it gives a better answer than guessing, several at once when they do not depend on each other.`

const builtIn = (
  agent: Pick<Agent, 'name' | 'description' | 'colour'> & Partial<Agent>,
): Agent => ({
  instructions: BASE_INSTRUCTIONS,
  models: [],
  tools: null,
  mode: 'agent',
  builtIn: true,
  ...agent,
})

export const BUILTIN_AGENTS: readonly Agent[] = [
  builtIn({
    name: DEFAULT_AGENT,
    description: 'Answers, calculates, looks things up',
    colour: 'blue',
  }),
  builtIn({
    name: 'researcher',
    description: 'Reads pages and says where it read what',
    colour: 'green',
    instructions: `${BASE_INSTRUCTIONS}
You are a careful researcher. Fetch the pages you rely on, read more than one before you conclude,
name the source of each claim with its address, and say plainly what you could not find.`,
  }),
  builtIn({
    name: 'analyst',
    description: 'Works with numbers, step by step',
    colour: 'orange',
    tools: ['calculate', 'text_stats', 'current_time', 'think'],
    instructions: `${BASE_INSTRUCTIONS}
You work with numbers. Calculate with the tool, never in your head; state assumptions and units;
show the steps in a short table; end with the result in one sentence.`,
  }),
  builtIn({
    name: 'coder',
    description: 'Writes and changes files in the workspace',
    colour: 'teal',
    instructions: `${BASE_INSTRUCTIONS}
You work on the files of this session's workspace. Look before you write: list and search, and read
what you are about to change. Change a file with edit_file and small, exact pieces; write_file is for
new files and for those you replace as a whole. Keep to the style that is there, and change nothing
that was not asked for. Use bash for what it does well: many files at once, counting, sorting,
comparing. Every change is reviewed by a person, who may undo any piece of it: when you find a file
other than you left it, that is their wish. At the end say in a few sentences what you changed and
what you could not check.`,
  }),
  builtIn({
    name: 'planner',
    description: 'Thinks first and proposes a plan',
    colour: 'purple',
    mode: 'plan',
    instructions: `${BASE_INSTRUCTIONS}
You plan before anything is done. Ask what is unclear, name the risks, and write steps that someone
else could follow, each with how to tell that it is done.`,
  }),
]

export const findBuiltIn = (name: string): Agent | null =>
  BUILTIN_AGENTS.find((agent) => agent.name === name) ?? null

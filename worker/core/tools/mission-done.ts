import { z } from 'zod'
import type { Tool } from './tool.ts'

export const MISSION_DONE = 'mission_done'

const input = z.strictObject({
  summary: z
    .string()
    .trim()
    .min(1)
    .max(4000)
    .describe('What came of the mission, for the person. Markdown.'),
})

export const missionDone: Tool<z.infer<typeof input>> = {
  name: MISSION_DONE,
  description:
    'End the standing mission: it is reached, or cannot be. No scheduled prompt follows. Say in ' +
    'the summary what was done and what was not.',
  input,
  repeatable: true,
  readOnly: true,
  // The mission ends with the result of the call, in the log (session/missions.ts).
  run: () => Promise.resolve('The mission is over. The person sees your summary.'),
}

/** The summary in a call's arguments; null where they are not such a call's. */
export function parseMissionDone(args: string): string | null {
  try {
    const parsed = input.safeParse(JSON.parse(args))
    return parsed.success ? parsed.data.summary.toWellFormed() : null
  } catch {
    return null
  }
}

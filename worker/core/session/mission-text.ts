// What a model is told of missions. The words of a mission are a person's; what stands around them
// says so, and says what is expected.

import type { EventOf } from '#protocol/events'
import type { MissionState } from '#protocol/state'

/** Its text and where it stands, as a run is told it. */
export type StandingMission = Pick<MissionState, 'text'>

/** The prompt of a schedule, as a message: nobody is there to ask back. */
export function toPromptText({ text, n, of }: EventOf<'idle_prompt'>): string {
  const left = of - n
  const rest = left === 0 ? 'This is the last one.' : `${left} more will follow while you are idle.`
  return [
    `[Scheduled prompt ${n} of ${of}, sent by the mission of this session; no person wrote it. ${rest}]`,
    `Mission: ${text}`,
    'Take the next useful step towards it now, and say briefly what you did. When the mission is ' +
      'reached, or cannot be, call mission_done with a summary.',
  ].join('\n\n')
}

/** What is added to an agent's instructions. The same goal in both places is said once. */
export function toMissionNotes(
  session: StandingMission | null,
  agent: StandingMission | null,
): string {
  const notes: string[] = []
  if (agent !== null && agent.text !== session?.text) {
    notes.push(`Your standing mission, in every session:\n${agent.text}`)
  }
  if (session !== null) {
    notes.push(
      `The standing mission of this session:\n${session.text}\n` +
        'Keep it in mind in all you do here. When it is reached, or cannot be, call mission_done.',
    )
  }
  return notes.map((note) => `\n\n${note}`).join('')
}

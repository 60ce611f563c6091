// A mission while it is written. Pure.

import { MISSION_MINUTES, MISSION_PROMPTS } from '#protocol/limits'
import type { MissionState } from '#protocol/state'
import type { MissionView } from '#protocol/http'
import type { NewMission } from '../../sdk/missions-api.ts'

/** Numbers as they stand in their fields. `isScheduled`: an agent's may only be told. */
export type MissionDraft = { text: string; every: string; prompts: string; isScheduled: boolean }

export const EMPTY_DRAFT: MissionDraft = {
  text: '',
  every: String(MISSION_MINUTES),
  prompts: String(MISSION_PROMPTS),
  isScheduled: true,
}

export const draftOfState = (mission: MissionState | null): MissionDraft =>
  mission === null
    ? EMPTY_DRAFT
    : {
        text: mission.text,
        every: String(mission.everyMinutes),
        prompts: String(mission.maxPrompts),
        isScheduled: true,
      }

export const draftOfRecord = (mission: MissionView | null): MissionDraft =>
  mission === null
    ? { ...EMPTY_DRAFT, isScheduled: false }
    : {
        text: mission.text,
        every: String(mission.every_minutes ?? MISSION_MINUTES),
        prompts: String(mission.max_prompts ?? MISSION_PROMPTS),
        isScheduled: mission.every_minutes !== null,
      }

/** The server says what is wrong with a number; what is none is said here. */
export function toNewMission(draft: MissionDraft): NewMission | { problem: string } {
  const text = draft.text.trim()
  if (text === '') return { problem: 'Say what the mission is.' }
  if (!draft.isScheduled) return { text }
  const everyMinutes = Number(draft.every)
  const maxPrompts = Number(draft.prompts)
  if (!isCount(everyMinutes)) return { problem: 'Minutes: a whole number from 1.' }
  if (!isCount(maxPrompts)) return { problem: 'Prompts: a whole number from 1.' }
  return { text, every_minutes: everyMinutes, max_prompts: maxPrompts }
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1

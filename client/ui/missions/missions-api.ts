import { MissionsApi, type MissionTarget } from '../../sdk/missions-api.ts'
import { openSessionId } from '../state/route.ts'
import type { Target } from './mission-dialog.tsx'

export const missionsApi = new MissionsApi({ origin: location.origin })

export const toTarget = (target: Target, agent: string): MissionTarget =>
  target === 'agent' ? { agent_id: agent } : { session_id: openSessionId.peek() ?? '' }

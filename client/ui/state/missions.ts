// Missions, as far as the first look at a chat knows of them: the door to the rest, which is loaded
// when there is one, or when somebody asks.

import { lazy } from '../lazy.ts'
import { showFailure } from './toasts.ts'

type Door = typeof import('../missions/door.ts')

const load = (): Promise<Door> => import('../missions/door.ts')

export function openMission(back: Element | null = document.activeElement): void {
  load()
    .then((door) => door.openMission(back))
    .catch(showFailure('Could not open the mission'))
}

export const MissionBar = lazy(() => load().then((door) => door.MissionBar))

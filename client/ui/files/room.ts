// How much room is left for versions of files. None ever goes, so that each can be restored: who
// hears of it only when it is full has to stop in the middle of their work.

import type { FileList } from '#protocol/http'
import { formatSize } from './words.ts'

/** Said from here on: some work can still be finished in what is left. */
const SAID_FROM = 0.8
/** Less than this does not hold a file worth writing. */
const FULL_BYTES = 1024
const WHAT_TO_DO = 'Take “All as zip” along and go on in a new chat.'

/** In words; null while there is room. */
export function describeRoom({
  stored,
  storedLimit,
}: Pick<FileList, 'stored' | 'storedLimit'>): string | null {
  if (stored < storedLimit * SAID_FROM) return null
  const left = Math.max(0, storedLimit - stored)
  if (left < FULL_BYTES) {
    return (
      'There is no room for new contents: this chat keeps every version of its files. ' +
      `Deleting files frees none. ${WHAT_TO_DO}`
    )
  }
  return (
    `This chat keeps every version of its files; ${formatSize(left)} of ` +
    `${formatSize(storedLimit)} are left. ${WHAT_TO_DO}`
  )
}

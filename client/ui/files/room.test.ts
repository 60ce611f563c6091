import { expect, test } from 'vitest'
import { describeRoom } from './room.ts'

const MIB = 1024 * 1024
const of = (stored: number) => describeRoom({ stored: stored * MIB, storedLimit: 1024 * MIB })

test('[FILE1] [SAF2] nothing is said of versions while there is room for them', () => {
  expect(of(0)).toBeNull()
  expect(of(818)).toBeNull()
})

test('[FILE1] [SAF2] before there is none it is said how much is left, and what to do', () => {
  expect(of(900)).toContain('124 MB of 1024 MB are left')
  expect(of(900)).toContain('All as zip')
})

test('[FILE1] [SAF2] when there is none it is said that nothing new can be written', () => {
  expect(of(1024)).toContain('no room')
  expect(of(1024)).toContain('Deleting files frees none')
})

import { expect, test } from 'vitest'
import { RandomSource } from '../testing/random-source.ts'
import { toToolNames } from './tool-names.ts'

const SAFE = /^[A-Za-z0-9_-]{1,64}$/

test('[TOOL8] a name that every provider takes stays as it is', () => {
  expect(toToolNames('mail', ['send', 'read_all', 'a-b'])).toEqual([
    'mail__send',
    'mail__read_all',
    'mail__a-b',
  ])
})

test('[TOOL8] other characters are replaced, and what would then be equal is told apart', () => {
  expect(toToolNames('mail', ['send.now'])).toEqual(['mail__send_now'])
  const [dot, slash, plain] = toToolNames('mail', ['a.b', 'a/b', 'a_b'])
  expect(plain).toBe('mail__a_b')
  expect(new Set([dot, slash, plain]).size).toBe(3)
  expect(dot).toMatch(/^mail__a_b_\w{7}$/)
})

test('[TOOL8] a long name is cut and keeps its own end', () => {
  const long = 'x'.repeat(100)
  const names = toToolNames('mail', [`${long}1`, `${long}2`])
  expect(new Set(names).size).toBe(2)
  expect(names.map((name) => name.length)).toEqual([64, 64])
})

test('[TOOL8] a tool named like the changed name of another does not take it', () => {
  const [changed] = toToolNames('s', ['a.b', 'a/b'])
  const taken = changed!.slice('s__'.length)
  const names = toToolNames('s', ['a.b', 'a/b', taken])
  expect(names[2]).toBe(changed)
  expect(new Set(names).size).toBe(3)
})

test('[TOOL8] names are safe, unique and the same in whatever order they are listed', () => {
  const random = new RandomSource(20260815)
  const letters = ['a', 'b', 'A', '.', '/', '_', '-', ' ', 'ü', '😀', '__']
  for (let round = 0; round < 300; round++) {
    const server = random.pick(['s', 'mail-2', 'a'.repeat(32)])
    const length = random.pick([2, 3, 40, 80])
    const make = () => Array.from({ length }, () => random.pick(letters)).join('')
    const names = [...new Set(Array.from({ length: 1 + random.below(30) }, make))]
    const exposed = toToolNames(server, names)
    for (const name of exposed) expect(name, `round ${round}`).toMatch(SAFE)
    expect(exposed.every((name) => name.startsWith(`${server}__`))).toBe(true)
    expect(new Set(exposed).size, `round ${round}`).toBe(names.length)
    const byName = new Map(names.map((name, index) => [name, exposed[index]]))
    const turned = names.toSorted(() => random.next() - 0.5)
    expect(toToolNames(server, turned), `round ${round}`).toEqual(
      turned.map((name) => byName.get(name)),
    )
  }
})

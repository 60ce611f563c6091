import { describe, expect, test } from 'vitest'
import { CIRCUIT_MS } from '#protocol/limits'
import { Circuit } from './circuit.ts'

const NOW = 1_000_000

function opened(retryAfterMs: number | null): Circuit {
  const circuit = new Circuit()
  circuit.open('a', NOW, retryAfterMs)
  return circuit
}

/** The first whole millisecond at which it is closed again. */
function closesAfter(retryAfterMs: number | null): number {
  let low = 0
  let high = 100 * CIRCUIT_MS
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (opened(retryAfterMs).isOpen('a', NOW + middle)) low = middle + 1
    else high = middle
  }
  return low
}

describe('[RUN7] a model that failed for good is left alone for a while', () => {
  test('nothing is open at first', () => {
    expect(new Circuit().isOpen('a', NOW)).toBe(false)
  })

  test('it is open at once, at half-time and up to the last millisecond, then closed', () => {
    const circuit = opened(null)
    expect(circuit.isOpen('a', NOW)).toBe(true)
    expect(circuit.isOpen('a', NOW + CIRCUIT_MS / 2)).toBe(true)
    expect(circuit.isOpen('a', NOW + CIRCUIT_MS - 1)).toBe(true)
    expect(circuit.isOpen('a', NOW + CIRCUIT_MS)).toBe(false)
  })

  test('once closed it stays closed, whatever the clock does', () => {
    const circuit = opened(null)
    expect(circuit.isOpen('a', NOW + CIRCUIT_MS)).toBe(false)
    expect(circuit.isOpen('a', NOW)).toBe(false)
  })

  test('another model is not concerned', () => {
    expect(opened(null).isOpen('b', NOW)).toBe(false)
  })

  test('a provider may ask for longer, never for less, and not for ever', () => {
    expect(closesAfter(null)).toBe(CIRCUIT_MS)
    expect(closesAfter(1)).toBe(CIRCUIT_MS)
    expect(closesAfter(2 * CIRCUIT_MS)).toBe(2 * CIRCUIT_MS)
    expect(closesAfter(5 * CIRCUIT_MS + 1)).toBe(5 * CIRCUIT_MS)
    expect(closesAfter(3_600_000)).toBe(5 * CIRCUIT_MS)
  })

  test('an answer closes it at once', () => {
    const circuit = opened(3_600_000)
    circuit.close('a')
    expect(circuit.isOpen('a', NOW)).toBe(false)
  })

  test('a second failure counts from the second', () => {
    const circuit = opened(null)
    circuit.open('a', NOW + CIRCUIT_MS / 2, null)
    expect(circuit.isOpen('a', NOW + CIRCUIT_MS)).toBe(true)
    expect(circuit.isOpen('a', NOW + 1.5 * CIRCUIT_MS)).toBe(false)
  })
})

import { expect, test } from 'vitest'
import { findPatternProblem, readPatterns } from './read-patterns.ts'

test('[DEC3] patterns are the lines that say something, each once', () => {
  expect(readPatterns(' *.pem \n\n config/* \r\n*.pem\n')).toEqual(['*.pem', 'config/*'])
  expect(readPatterns(' \n ')).toEqual([])
})

test('[DEC3] what the session would refuse is said before it is sent', () => {
  const many = Array.from({ length: 101 }, (_, i) => `${i}`)
  expect(findPatternProblem(many)).toBe('These are more than 100 patterns.')
  expect(findPatternProblem(['x'.repeat(501)])).toContain('longer than 500 characters')
  expect(findPatternProblem(many.slice(1))).toBe(null)
})

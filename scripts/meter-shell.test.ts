import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { addMeter } from './meter-shell.ts'

const bundle = readFileSync(fileURLToPath(import.meta.resolve('just-bash/browser')), 'utf8')

describe('[SAF2] the meter of the shell', () => {
  test('is in every loop and every function of the installed bundle', () => {
    const metered = addMeter(bundle)
    const loops = metered.match(/\b(?:for|while)\s*\(/g) ?? []
    const steps = metered.match(/--\$fuel<0&&\$tank\(\)/g) ?? []
    // Only the meter's own.
    expect(metered.match(/\.indexOf\(\w+,/g)).toEqual(['.indexOf(part,'])
    expect(loops.length).toBeGreaterThan(1500)
    expect(steps.length).toBeGreaterThan(loops.length + 3000)
  })

  test.each([
    ['another bundle', 'export const Bash = class {}'],
    ['one that has a meter', addMeter(bundle)],
    ['one whose parser was rewritten', bundle.replace('i.push(a),s=l', 's=l,i.push(a)')],
    ['one that compiles elsewhere too', `${bundle}\nthis._re2=Vr.compile(x)`],
    ['one with another import', bundle.replace('from"minimatch"', 'from"picomatch"')],
  ])('refuses %s', (_name, code) => {
    expect(() => addMeter(code)).toThrow(/^just-bash: /)
  })
})

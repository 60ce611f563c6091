import { z } from 'zod'
import { sleep } from './sleep.ts'
import type { Tool } from './tool.ts'

const input = z.strictObject({
  from: z.int().min(1).max(60).describe('Seconds to count down, 1 to 60.'),
  label: z.string().min(1).max(100).optional().describe('What is being counted down to.'),
})

export const countdown: Tool<z.infer<typeof input>> = {
  name: 'countdown',
  description:
    'Count down from a number of seconds, one line a second, visible to people as it runs. ' +
    'Takes as long as it counts.',
  input,
  repeatable: true,
  readOnly: true,
  async run({ from, label }, { output, signal }) {
    const prefix = label === undefined ? '' : `${label}: `
    for (let left = from; left > 0; left--) {
      output(`${prefix}${left}\n`)
      await sleep(1000, signal)
    }
    output(`${prefix}0\n`)
    return `${prefix}counted down from ${from} to 0 in ${from} ${from === 1 ? 'second' : 'seconds'}.`
  },
}

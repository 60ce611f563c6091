import { expect, test } from 'vitest'
import { closeInline } from './close-inline.ts'

test('[RUN6] a mark that is open at the end is closed', () => {
  const cases: Record<string, string> = {
    'some **bold te': 'some **bold te**',
    'some **bold te*': 'some **bold te**',
    'some *em': 'some *em*',
    'a **b *c': 'a **b *c***',
    'gone ~~aw': 'gone ~~aw~~',
    'run `npm te': 'run `npm te`',
    'see [the docs](https://exam': 'see the docs',
    'ends with **': 'ends with ',
    'ends with `': 'ends with',
  }
  for (const [open, closed] of Object.entries(cases)) expect(closeInline(open), open).toBe(closed)
})

test('[RUN6] what is closed, escaped, in code or no mark stays as it is', () => {
  const cases = [
    'all **done** here',
    '`a ** b` and on',
    String.raw`\*not a mark`,
    '* a bullet',
    '2 * 3 * 4',
    'a[0] is fine',
    '[a link](https://example.org) and more',
    '**one** and **two**',
  ]
  for (const text of cases) expect(closeInline(text), text).toBe(text)
})

test('only the last line is touched', () => {
  expect(closeInline('* one\n* two **b')).toBe('* one\n* two **b**')
})

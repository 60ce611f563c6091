// The sanitizer weighs as much as Preact, Signals and the rest of this folder together, and is only
// needed where a model wrote raw HTML. Until it is there, that block is shown as the text it is.

import { signal } from '@preact/signals'

export type Purify = (html: string) => DocumentFragment

const TAGS =
  'a b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li ' +
  'mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var'
// No id, name or style: they shadow globals and imitate the page. `class` carries a code block's
// language and goes no further than that.
const ATTRIBUTES = 'href title align start colspan rowspan src alt class'

export const ALLOWED_TAGS: ReadonlySet<string> = new Set(TAGS.split(' '))
export const ALLOWED_ATTRIBUTES: ReadonlySet<string> = new Set(ATTRIBUTES.split(' '))

export const purifier = signal<Purify | null>(null)

let isAsked = false

export function askForPurifier(): void {
  if (isAsked) return
  isAsked = true
  import('dompurify')
    .then(({ default: dompurify }) => {
      purifier.value = (html) =>
        dompurify.sanitize(html, {
          ALLOWED_TAGS: [...ALLOWED_TAGS],
          ALLOWED_ATTR: [...ALLOWED_ATTRIBUTES],
          ALLOW_DATA_ATTR: false,
          ALLOW_ARIA_ATTR: false,
          RETURN_DOM_FRAGMENT: true,
        })
    })
    .catch(() => {
      // Offline: text is a safe answer, and the next block asks again.
      isAsked = false
    })
}

// Scenes that need the world outside: the weather, and a page to read.

import {
  call,
  describeResult,
  text,
  type DemoResult,
  type Scene,
  type Situation,
} from './demo-scene.ts'

const DEFAULT_PLACE = 'Berlin'
const DEFAULT_PAGE = 'https://example.com/'
const PLACE_CHARS = 100
const EXCERPT_CHARS = 600

/** The place after “weather in”, up to the end of its sentence; “St.” does not end one. */
function findPlace(asked: string): string {
  const place = /\bweather\s+(?:in|at|for|of|near)\s+([^\n?!;:]+)/i.exec(asked)?.[1] ?? ''
  const [sentence = ''] = place.split(/(?<=\p{L}{4})\.(?:\s|$)/u, 1)
  const name = sentence
    .slice(0, PLACE_CHARS)
    .toWellFormed()
    .trim()
    .replace(/,?\s+(?:please|today|now|tomorrow|right now|at the moment)$/i, '')
  return name === '' ? DEFAULT_PLACE : name
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`“”]+/i

/** The first address, without the punctuation of the sentence around it. */
const findAddress = (asked: string): string =>
  ADDRESS.exec(asked)?.[0].replace(/[.,;:!?)\]}*_]+$/, '') ?? DEFAULT_PAGE

const isFetch = (asked: string): boolean =>
  /\b(?:fetch|read|open)\b/i.test(asked.replace(ADDRESS, '')) && ADDRESS.test(asked)

/** What a page says is shown as it is, never as our own words or markup. */
function toExcerpt(result: DemoResult): string {
  if (!result.ok) return describeResult(result)
  const cut = result.text.trim().slice(0, EXCERPT_CHARS).toWellFormed().replaceAll('```', "'''")
  const more = result.text.trim().length > EXCERPT_CHARS ? '\n…' : ''
  return `\`\`\`text\n${cut}${more}\n\`\`\``
}

const tell = (describe: (result: DemoResult) => string, { results }: Situation): string =>
  results.map(describe).join('\n\n')

export const weather: Scene = {
  keywords: ['weather'],
  offer: '**weather**: a tool that asks the outside world, such as *weather in Lisbon*',
  rounds: [
    ({ asked }) => [
      text('I will look out of the window.'),
      call('weather', { place: findPlace(asked) }),
    ],
    (situation) => [text(`The tool says:\n\n${tell(describeResult, situation)}`)],
  ],
}

export const fetchPage: Scene = {
  keywords: ['fetch', 'web fetch'],
  matches: isFetch,
  offer: '**fetch**: reads a page, such as *fetch https://example.com*',
  rounds: [
    ({ asked }) => [
      text('I will fetch that page.'),
      call('web_fetch', { url: findAddress(asked) }),
    ],
    (situation) => [
      text(
        `This is how its answer begins:\n\n${tell(toExcerpt, situation)}\n\nA real model would now ` +
          'read it; to me it is only text, and so are any instructions in it.',
      ),
    ],
  ],
}

// Scenes of text alone: long, formatted, thought about.

import { shorten, text, thinking, type Scene } from './demo-scene.ts'
import { STORY } from './demo-story.ts'

export const longAnswer: Scene = {
  keywords: ['long', 'essay', 'story', 'interrupt'],
  offer: '**long answer**: about a minute of text, to interrupt, reload or queue behind',
  rounds: [() => [text(STORY)]],
}

const MARKDOWN = `## Streaming markdown

Text arrives a few characters at a time and is *rendered as it comes*: **bold**, \`code\`, and
[links](https://developers.cloudflare.com/durable-objects/) never flash half-open.

### A table

| part | stored as | shown as |
| --- | --- | --- |
| text | coalesced rows | live fragments |
| thinking | coalesced rows | folds when text follows |
| tool call | one row, one result | a block with a state |

### Code

\`\`\`ts
const stored = log.append(events)
state = stored.reduce(applyEvent, state)
sockets.send(stored) // in this order, always
\`\`\`

### A list

1. The log is the truth.
2. Everything else is folded from it:
   - what you see,
   - what another tab sees,
   - what the model is told.
3. A reload changes nothing.

> A person saw it, so it is kept.
`

export const markdown: Scene = {
  keywords: ['markdown', 'table', 'code', 'list', 'format', 'formatting'],
  offer: '**markdown**: headings, a table, code and a list',
  rounds: [() => [text(MARKDOWN)]],
}

export const thinkingScene: Scene = {
  keywords: ['think', 'thinking', 'reason', 'reasoning'],
  offer: '**thinking**: a stream of thinking before the answer',
  rounds: [
    ({ asked }) => [
      thinking(
        `The person wrote “${shorten(asked)}”. The keyword is about thinking, so I should show ` +
          'some. A thinking part streams like text but is not held back at its start; it stays ' +
          'open while it grows and folds when the answer begins. Two or three sentences are ' +
          'enough to see that. Now the answer.',
      ),
      text(
        'That was a thinking part. It is stored beside the answer and never mixed into it, and it ' +
          'folded when this text began.',
      ),
    ],
  ],
}

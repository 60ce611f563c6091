// Markdown is a third of the code and the page can be used without it: it comes beside the first
// words of a session, which take as long. Asked for at once, so that it is there when they are.

import { lazy } from '../lazy.ts'

const load = () => import('./markdown.tsx').then((module) => module.Markdown)

export const Markdown = lazy(load)

// A failure is not the last word: rendering asks again.
load().catch(() => {})

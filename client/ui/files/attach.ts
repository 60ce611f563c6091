// Files and lines that go with the next message.

import type { Attachment } from '#protocol/events'
import { utf8Bytes } from '#protocol/text'
import { attached, setAttached } from '../state/files.ts'
import { showToast } from '../state/toasts.ts'
import { cutRange, formatRange, parseRange } from './range.ts'
import { formatSize } from './words.ts'

/** One of them: enough for a source file, and little enough for a model's window. */
export const ATTACHMENT_BYTES = 64 * 1024
/** All of them: a message is one event of the log. */
const TOGETHER_BYTES = 384 * 1024
const ATTACHMENTS = 20

/** Null: it fits. Else why not. */
function findProblem({ content, name }: Attachment, others: readonly Attachment[]): string | null {
  const bytes = utf8Bytes(content)
  if (content === '') return `${name} has nothing in it`
  if (bytes > ATTACHMENT_BYTES) {
    const most = formatSize(ATTACHMENT_BYTES)
    return `${name} has ${formatSize(bytes)}; at most ${most} can be attached. Name a range of lines`
  }
  if (others.length >= ATTACHMENTS) return `at most ${ATTACHMENTS} files go with one message`
  const together = others.reduce((sum, one) => sum + utf8Bytes(one.content), bytes)
  return together <= TOGETHER_BYTES
    ? null
    : `together at most ${formatSize(TOGETHER_BYTES)} go with one message`
}

const isSame = (a: Attachment, b: Attachment): boolean => a.name === b.name && a.range === b.range

function attach(file: Attachment): boolean {
  // The same again takes the place of what was there: it may have changed since.
  const others = attached.peek().filter((one) => !isSame(one, file))
  const problem = findProblem(file, others)
  if (problem !== null) showToast(`Not attached: ${problem}.`)
  else setAttached([...others, file])
  return problem === null
}

/** False: it was not attached, and why has been said. */
export function attachText(name: string, text: string, lines: string): boolean {
  const range = parseRange(lines)
  if (range === 'all') return attach({ name, content: text })
  const cut = range === null ? null : cutRange(text, range)
  if (cut === null) {
    showToast(`Not attached: ${name} has no lines “${lines}”.`)
    return false
  }
  return attach({ name, content: cut.content, range: formatRange(cut.range) })
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** From the device. Only texts: a model reads what is attached as words. */
export async function attachFiles(files: readonly File[], lines = ''): Promise<void> {
  for (const file of files) {
    // One after the other, in the order in which they were chosen.
    // oxlint-disable-next-line no-await-in-loop
    const text = await readText(file)
    if (text === null) showToast(`Not attached: ${file.name} is not a text.`)
    else attachText(file.name, text, lines)
  }
}

/** What is far too large is not read at all. */
const READ_BYTES = 8 * 1024 * 1024

async function readText(file: File): Promise<string | null> {
  if (file.size > READ_BYTES) return null
  const bytes = new Uint8Array(await file.arrayBuffer())
  try {
    return bytes.includes(0) ? null : decoder.decode(bytes)
  } catch {
    return null
  }
}

export function detach(file: Attachment): void {
  setAttached(attached.peek().filter((one) => one !== file))
}

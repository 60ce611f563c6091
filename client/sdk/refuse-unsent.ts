// What the server is certain to refuse is refused before it is sent. A frame that is too large is
// not even read, so nobody could say whose it was: it would be sent again on every connection.

import type { Command } from '#protocol/commands'
import { CLIENT_FRAME_BYTES, MESSAGE_TEXT_BYTES } from '#protocol/limits'
import { utf8Bytes } from '#protocol/text'
import type { Refusal } from './outbox.ts'

export function refuseUnsent(command: Command): Refusal | null {
  const text = 'text' in command ? command.text : ''
  if (utf8Bytes(text) > MESSAGE_TEXT_BYTES) return tooLarge('text', MESSAGE_TEXT_BYTES)
  if (utf8Bytes(JSON.stringify(command)) <= CLIENT_FRAME_BYTES) return null
  return tooLarge('message with its attachments', CLIENT_FRAME_BYTES)
}

const tooLarge = (what: string, bytes: number): Refusal => ({
  code: 'too_large',
  message: `${what}: must be at most ${bytes} bytes`,
})

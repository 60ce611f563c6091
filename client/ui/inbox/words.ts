import type { InboxEntry } from '#protocol/hub'

export const KIND_WORDS: Record<InboxEntry['kind'], string> = {
  command: 'Command',
  file_edit: 'File change',
  tool: 'Tool',
  plan: 'Plan',
  question: 'Question',
}

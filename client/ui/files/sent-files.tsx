import type { Attachment } from '#protocol/events'
import { Icon } from '../shell/icon.tsx'
import { withFiles } from '../state/files.ts'
import { nameWithRange } from './range.ts'

/** What went with a message; each opens as it was when it was sent. */
export function SentFiles({ files }: { files: readonly Attachment[] }) {
  return (
    <ul class="attachments" aria-label="Attached">
      {files.map((file, index) => (
        <li key={index}>
          <button type="button" onClick={() => withFiles((door) => door.openAttachment(file))}>
            <Icon name="file" />
            {nameWithRange(file.name, file.range)}
          </button>
        </li>
      ))}
    </ul>
  )
}

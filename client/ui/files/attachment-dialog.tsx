import type { Attachment } from '#protocol/events'
import { CodeView } from './code-view.tsx'
import { FileDialog } from './file-dialog.tsx'
import { nameWithRange, parseRange } from './range.ts'

type Props = { attachment: Attachment; onClose: () => void }

/** As it was when it was sent: the file may be another by now. */
export function AttachmentDialog({ attachment, onClose }: Props) {
  const { name, content, range } = attachment
  const lines = parseRange(range ?? '')
  const firstLine = lines === null || lines === 'all' ? 1 : lines.from
  return (
    <FileDialog name="attachment" title={nameWithRange(name, range)} onClose={onClose}>
      <div class="file-dialog-body">
        <CodeView path={name} text={content} firstLine={firstLine} />
      </div>
    </FileDialog>
  )
}

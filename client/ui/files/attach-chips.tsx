import { Icon } from '../shell/icon.tsx'
import { attached, withFiles } from '../state/files.ts'
import { detach } from './attach.ts'
import { nameWithRange } from './range.ts'

export function AttachChips() {
  return (
    <ul class="attach-chips" data-testid="attached" aria-label="Attached">
      {attached.value.map((file) => {
        const name = nameWithRange(file.name, file.range)
        return (
          <li key={name}>
            <button
              type="button"
              class="attach-open"
              onClick={() => withFiles((door) => door.openAttachment(file))}
            >
              <Icon name="file" />
              <span>{name}</span>
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label={`Remove ${name}`}
              onClick={() => detach(file)}
            >
              <Icon name="close" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}

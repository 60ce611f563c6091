import type { NoticePart } from '#protocol/state'
import { memo } from '../memo.ts'
import { Icon } from '../shell/icon.tsx'

export const Notice = memo(({ notice }: { notice: NoticePart }) => (
  <p class={`notice ${notice.level}`} data-part="notice" data-code={notice.code}>
    <Icon name={notice.level === 'error' ? 'alert' : 'warning'} />
    <span>{notice.message}</span>
  </p>
))

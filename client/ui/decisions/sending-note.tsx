import { connection } from '../state/session.ts'

export function SendingNote({ isSending }: { isSending: boolean }) {
  if (!isSending) return null
  const isLive = connection.value.status === 'live'
  return (
    <span class="card-sending" role="status">
      {isLive ? 'Sending…' : 'Is sent when the connection is back'}
    </span>
  )
}

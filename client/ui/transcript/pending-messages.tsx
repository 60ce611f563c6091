import { connection, isRunning, waitingSends } from '../state/session.ts'

/** On their way, or waiting for the network. While a run is active they stand with the queue. */
export function PendingMessages() {
  if (isRunning.value) return null
  const words = connection.value.status === 'live' ? 'Sending…' : 'Waits for the connection'
  return (
    <>
      {waitingSends.value.map(({ id, text, to }) => (
        <article
          class="turn user pending-send"
          data-pending={id}
          key={id}
          aria-label="Unsent message"
        >
          <div class="bubble">{text}</div>
          <footer class="turn-foot">
            {to !== undefined && <span class="delivery-badge">{`To ${to}`}</span>}
            <span class="delivery-badge">{words}</span>
          </footer>
        </article>
      ))}
    </>
  )
}

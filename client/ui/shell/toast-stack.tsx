import { dismissToast, toasts } from '../state/toasts.ts'
import { Icon } from './icon.tsx'

export function ToastStack() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, action }) => (
        <div class="toast" key={id}>
          <span class="toast-text">{text}</span>
          {action && (
            <button type="button" class="toast-action" onClick={action.run}>
              {action.label}
            </button>
          )}
          <button
            type="button"
            class="icon-button"
            aria-label="Dismiss"
            onClick={() => dismissToast(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}

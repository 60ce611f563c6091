import { checkIdentity, identity } from '../state/identity.ts'
import { App } from './app.tsx'
import { LoginPage } from './login-page.tsx'

export function Root() {
  switch (identity.value.status) {
    case 'checking':
      return null
    case 'in':
      return <App />
    case 'out':
      return <LoginPage />
    case 'failed':
      return (
        <main class="login">
          <div class="login-card">
            <h1>Parley does not answer</h1>
            <p class="login-note">{identity.value.message}</p>
            <button type="button" class="primary-button" onClick={() => void checkIdentity()}>
              Try again
            </button>
          </div>
        </main>
      )
  }
}

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../state/client.ts'
import { checkIdentity } from '../state/identity.ts'
import { BrandMark } from './brand-mark.tsx'

export function LoginPage() {
  const token = useSignal('')
  const problem = useSignal('')
  const isChecking = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  const handleSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    isChecking.value = true
    problem.value = ''
    try {
      await api.login(token.peek().trim())
      await checkIdentity()
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
      field.current?.select()
    } finally {
      isChecking.value = false
    }
  }

  return (
    <main class="login">
      <form class="login-card" onSubmit={(event) => void handleSubmit(event)}>
        <BrandMark />
        <h1>Sign in to Parley</h1>
        <p class="login-note">
          Enter the token this server was started with (<code>PARLEY_TOKEN</code>). It stays in a
          cookie that pages cannot read.
        </p>
        <label for="token">Token</label>
        <input
          id="token"
          ref={field}
          type="password"
          autocomplete="current-password"
          required
          value={token}
          onInput={(event) => (token.value = event.currentTarget.value)}
          aria-describedby="login-problem"
        />
        <p id="login-problem" class="login-problem" role="alert">
          {problem}
        </p>
        <button type="submit" class="primary-button" disabled={isChecking.value}>
          {isChecking.value ? 'Checking…' : 'Sign in'}
        </button>
      </form>
    </main>
  )
}

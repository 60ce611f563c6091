import type { Signal } from '@preact/signals'
import type { Delivery } from '#protocol/events'

const CHOICES: readonly (readonly [Delivery, label: string, what: string])[] = [
  ['queue', 'Queue', 'Runs after this one'],
  ['steer', 'Steer', 'The agent sees it at its next step (Ctrl Enter)'],
  ['interrupt', 'Interrupt', 'Stops this run, then answers (Ctrl Shift Enter)'],
]

export function DeliveryControl({ delivery }: { delivery: Signal<Delivery> }) {
  return (
    <fieldset class="delivery">
      <legend class="visually-hidden">When the agent gets it</legend>
      {CHOICES.map(([value, label, what]) => (
        <label key={value} title={what}>
          <input
            type="radio"
            name="delivery"
            value={value}
            checked={delivery.value === value}
            onChange={() => (delivery.value = value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

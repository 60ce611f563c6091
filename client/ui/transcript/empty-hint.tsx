import '../styles/empty-hint.css'
import { useSignal } from '@preact/signals'
import { BrandMark } from '../shell/brand-mark.tsx'
import { Icon } from '../shell/icon.tsx'
import { choice } from '../state/choice.ts'
import { isStarting, sendText } from '../state/commands.ts'

const THINGS_TO_TRY = [
  ['thought', 'Show me thinking', 'Thoughts stream, then fold away'],
  ['tool', 'Run tools in parallel', 'Several calls, each with its own result'],
  ['alert', 'Show a failing tool', 'What an error looks like'],
  ['clock', 'Count down slowly', 'Queue, steer or stop it midway'],
  ['pencil', 'Write a long answer I can interrupt', 'Press Esc and nothing is lost'],
  ['list', 'Show me markdown', 'Tables, code, lists and links'],
] as const

/** Each of these is a scene of the demo model; another model would only wonder. */
const SCENES: readonly (readonly [group: string, prompts: readonly string[]])[] = [
  [
    'When a provider fails',
    [
      'Hit a rate limit and retry',
      'Fall back to another model',
      'Make the provider unreachable',
      'Stall in the middle of a word',
      'Survive a crash of the server',
    ],
  ],
  [
    'Tools',
    [
      'Do a long run with many tools',
      'Use the think tool',
      'Run into the step limit',
      'Send invalid arguments',
      'Let me steer you within 10 seconds',
      'Use a model without tools',
      'What is the weather in Lisbon?',
      'Change some files',
    ],
  ],
  [
    'You decide',
    [
      'Ask before running a command',
      'Edit a sensitive file',
      'Post something to the web',
      'Ask me some questions',
      'Make a plan first',
      'Finish a task',
    ],
  ],
  ['On its own', ['What is a mission?']],
  ['Agents', ['Talk to another agent', 'Ask an agent and be called back', 'Start three children']],
  ['Context', ['Fill the context', 'Overflow the context']],
]

const isDemo = (): boolean => /^demo\b/.test(choice.value?.model ?? '')

export function EmptyHint() {
  return (
    <div class="empty-hint" data-testid="empty-hint">
      <BrandMark />
      <h2>What shall we talk about?</h2>
      <p>Write below, or try one of these.</p>
      <ul class="try-cards">
        {THINGS_TO_TRY.map(([icon, prompt, what]) => (
          <li key={prompt}>
            <button
              type="button"
              class="try-card"
              disabled={isStarting.value}
              onClick={() => void sendText(prompt)}
            >
              <Icon name={icon} />
              <span class="try-prompt">{prompt}</span>
              <span class="try-what">{what}</span>
            </button>
          </li>
        ))}
      </ul>
      {isDemo() && <MoreScenes />}
    </div>
  )
}

function MoreScenes() {
  const isOpen = useSignal(false)
  return (
    <>
      <button
        type="button"
        class="text-button more-scenes"
        data-testid="more-scenes"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {isOpen.value ? 'Less' : 'More…'}
      </button>
      {isOpen.value &&
        SCENES.map(([group, prompts]) => (
          <section class="scene-group" key={group} aria-label={group}>
            <h3>{group}</h3>
            <ul>
              {prompts.map((prompt) => (
                <li key={prompt}>
                  <button
                    type="button"
                    class="scene"
                    disabled={isStarting.value}
                    onClick={() => void sendText(prompt)}
                  >
                    {prompt}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </>
  )
}

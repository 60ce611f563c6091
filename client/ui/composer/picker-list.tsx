// One list to pick from: the focus stays in one place, the active row is named to screen readers.

import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../shell/icon.tsx'
import { filterOptions, findTyped, moveTo, SEARCH_FROM, type Option } from './options.ts'

/** Letters that follow each other sooner than this are one word. */
const TYPING_MS = 700

type Props = {
  label: string
  options: readonly Option[]
  /** Null: rows lead somewhere, none is the current one. */
  selected: string | null
  onChoose: (id: string) => void
}

export function PickerList({ label, options, selected, onChoose }: Props) {
  const query = useSignal('')
  const active = useSignal(selected)
  const typed = useRef({ text: '', at: 0 })
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const hasSearch = options.length >= SEARCH_FROM
  const shown = filterOptions(options, query.value)
  const index = Math.max(
    0,
    shown.findIndex(({ id }) => id === active.value),
  )
  const current = shown[index]

  useLayoutEffect(() => {
    // A phone would cover the list with its keyboard.
    const isTyped = hasSearch && matchMedia('(pointer: fine)').matches
    ;(isTyped ? field : list).current?.focus()
  }, [hasSearch])
  useLayoutEffect(() => {
    list.current?.querySelector('[data-active=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current?.id])

  const typeAhead = (letter: string): void => {
    const now = performance.now()
    const before = now - typed.current.at < TYPING_MS ? typed.current.text : ''
    typed.current = { text: before + letter, at: now }
    active.value = shown[findTyped(shown, index, typed.current.text)]?.id ?? null
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const isInField = event.target === field.current
    const isSpace = event.key === ' ' && !isInField && !isTyping(typed.current)
    const next = moveTo(event.key, index, shown.length)
    if (next !== null) active.value = shown[next]?.id ?? null
    else if (event.key === 'Enter' || isSpace) {
      if (current !== undefined) onChoose(current.id)
    } else if (event.key.length === 1 && !isInField) typeAhead(event.key)
    else return
    event.preventDefault()
  }
  const activeId = current === undefined ? undefined : `option-${index}`
  return (
    <div class="picker-rows" onKeyDown={handleKey}>
      {hasSearch && (
        <input
          ref={field}
          class="picker-search"
          role="combobox"
          aria-label={`Search: ${label}`}
          aria-expanded="true"
          aria-controls="picker-list"
          aria-activedescendant={activeId}
          autocomplete="off"
          placeholder="Search"
          value={query}
          onInput={(event) => (query.value = event.currentTarget.value)}
        />
      )}
      <div
        ref={list}
        id="picker-list"
        class="picker-list"
        role={selected === null ? 'menu' : 'listbox'}
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={activeId}
      >
        {shown.map((option, i) => (
          <Row
            key={option.id}
            option={option}
            id={`option-${i}`}
            isActive={i === index}
            isSelected={selected === null ? null : option.id === selected}
            onPoint={() => (active.value = option.id)}
            onChoose={() => onChoose(option.id)}
          />
        ))}
      </div>
      {hasSearch && shown.length === 0 && (
        <p class="picker-note" role="status">
          Nothing is called that.
        </p>
      )}
    </div>
  )
}

/** A space inside a name belongs to the name. */
const isTyping = ({ at, text }: { at: number; text: string }): boolean =>
  text !== '' && performance.now() - at < TYPING_MS

type RowProps = {
  option: Option
  id: string
  isActive: boolean
  isSelected: boolean | null
  onPoint: () => void
  onChoose: () => void
}

function Row({ option, id, isActive, isSelected, onPoint, onChoose }: RowProps) {
  const { label, detail, colour, icon, badge } = option
  return (
    <div
      id={id}
      class="picker-row"
      role={isSelected === null ? 'menuitem' : 'option'}
      aria-selected={isSelected ?? undefined}
      data-option={option.id}
      data-active={String(isActive)}
      onPointerMove={onPoint}
      onClick={onChoose}
    >
      {colour !== undefined && <span class="agent-dot" data-colour={colour} />}
      {icon !== undefined && <Icon name={icon} />}
      <span class="picker-text">
        <span class="picker-label">
          {label}
          {badge !== undefined && <span class="picker-badge">{badge}</span>}
        </span>
        <span class="picker-detail">{detail}</span>
      </span>
      {isSelected === true && <Icon name="check" />}
      {isSelected === null && <Icon name="chevron" />}
    </div>
  )
}

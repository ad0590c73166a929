/** A text box that hands its value over on Enter or when it is left, and takes it back on Escape. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { VNode } from 'preact'

export interface InputProps {
  readonly value: string
  readonly label: string
  /** Takes a changed value; a text it answers is shown as what is wrong, and the value is not handed over. */
  readonly onCommit: (value: string) => string | null
  readonly kind?: 'text' | 'number' | 'date'
  readonly placeholder?: string
  readonly disabled?: boolean
  readonly tip?: string
  /** `number` is narrow, `date` fits a date, `wide` fills its row. */
  readonly size?: 'number' | 'date' | 'wide'
  readonly max?: number
  readonly focused?: boolean
  readonly tabIndex?: number
}

export function Input({ value, label, onCommit, kind = 'text', placeholder, disabled, tip, size = 'wide', max, focused, tabIndex }: InputProps): VNode {
  const [draft, setDraft] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (focused === true) box.current?.focus()
  }, [focused])
  const commit = (): void => {
    if (draft === null || draft === value) return reset()
    const problem = onCommit(draft.trim())
    setWrong(problem)
    if (problem === null) setDraft(null)
  }
  const reset = (): void => {
    setDraft(null)
    setWrong(null)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') commit()
    if (event.key !== 'Escape' || draft === null) return
    event.stopPropagation()
    reset()
  }
  return (
    <input
      ref={box}
      class={`mf-input mf-input-${size}`}
      {...(kind === 'date' ? { type: 'date' as const } : { type: 'text' as const })}
      inputMode={kind === 'number' ? 'numeric' : 'text'}
      value={draft ?? value}
      aria-label={label}
      aria-invalid={wrong !== null}
      data-mf-tip={wrong ?? tip}
      placeholder={placeholder}
      maxLength={max}
      disabled={disabled === true}
      tabIndex={tabIndex}
      autoComplete="off"
      onInput={(event) => {
        setDraft(event.currentTarget.value)
        setWrong(null)
      }}
      onChange={kind === 'date' ? commit : undefined}
      onBlur={commit}
      onKeyDown={onKeyDown}
    />
  )
}

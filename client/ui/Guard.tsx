/** Keeps a failing view inside its own seat: one line with the reason and a way to try again. */
import { Component } from 'preact'
import type { ComponentChildren } from 'preact'
import { t } from '../text.ts'

export class Guard extends Component<{ children?: ComponentChildren }, { readonly error?: string | null }> {
  static override getDerivedStateFromError(error: unknown): { error: string } {
    return { error: String(error) }
  }

  override render(): ComponentChildren {
    const { error } = this.state
    if (!error) return this.props.children
    return <span class="mf mf-muted" role="alert" title={error}>{t('state.crash')} <button type="button" class="mf-button mf-b-text" onClick={() => this.setState({ error: null })}>{t('act.retry')}</button></span>
  }
}

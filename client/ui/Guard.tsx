/** Keeps a failing view inside its own seat: one line with the reason and a way to try again. */
import { Component } from 'preact'
import type { ComponentChildren, VNode } from 'preact'
import { t } from '../text.ts'

interface State { readonly error: string | null }

export class Guard extends Component<{ children?: ComponentChildren }, State> {
  override state: State = { error: null }

  static override getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error.message : String(error) }
  }

  override render(): VNode {
    if (this.state.error === null) return <>{this.props.children}</>
    return (
      <span class="mf-crash" role="alert" title={this.state.error}>
        {t('crash')}
        <button type="button" class="mf-link" onClick={() => this.setState({ error: null })}>{t('retry')}</button>
      </span>
    )
  }
}

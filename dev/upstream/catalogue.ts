// The providers and models that the demo upstream pretends to be.

export interface DemoModel {
  readonly id: string
  readonly name: string
  readonly contextWindow: number
  readonly maxTokens: number
  /** What a request may contain; text only when absent. */
  readonly input?: readonly ('text' | 'image')[]
  /** Reasoning efforts it offers; none when absent. */
  readonly efforts?: readonly string[]
}

export interface DemoProvider {
  readonly id: string
  readonly name: string
  readonly models: readonly DemoModel[]
  /** Served by the host's own adapter of that service, which brings its own list of models. */
  readonly official?: true
}

const model = (id: string, name: string, more: Partial<DemoModel> = {}): DemoModel => ({ id, name, contextWindow: 128_000, maxTokens: 4096, ...more })

/** Invented names, so that nobody takes the demo for a statement about a real service. */
export const DEMO_PROVIDERS: readonly DemoProvider[] = [
  { id: 'alpha', name: 'Alpha Cloud', models: [model('a-1', 'Alpha One', { efforts: ['low', 'medium', 'high'] }), model('a-2', 'Alpha Two'), model('a-3', 'Alpha Three', { contextWindow: 16_000 })] },
  { id: 'beta', name: 'Beta Labs', models: [model('b-1', 'Beta One', { input: ['text', 'image'] }), model('b-2', 'Beta Two', { maxTokens: 8192 })] },
  { id: 'gamma', name: 'Gamma Works', models: [model('c-1', 'Gamma One', { contextWindow: 1_000_000 }), model('c-2', 'Gamma Two', { efforts: ['low', 'high'] })] },
  { id: 'deepseek-official', name: 'DeepSeek', models: [], official: true },
]

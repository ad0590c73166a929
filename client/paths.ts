/** Method and path of the operations the page uses, typed by the contract and compared with it by a test. */
import type { OperationName } from '../src/contract/api.ts'

export const PREFIX = '/api/model-failover'

/** The browser half bundles no schemas, so it keeps its own copy of the two texts it needs per operation. */
export const paths = {
  status: 'GET /status',
  models: 'GET /models',
  settings: 'POST /settings',
  groups: 'GET /groups',
  createGroup: 'POST /groups',
  updateGroup: 'PUT /groups',
  deleteGroup: 'DELETE /groups/:id',
  modelDisabled: 'POST /groups/model-disabled',
  reorder: 'POST /groups/reorder-priority',
  bindSession: 'POST /session-group',
  setDefaultGroup: 'POST /default-group',
  sessionInfo: 'GET /session-info',
  sessionModel: 'POST /session-model',
  consent: 'POST /consent',
  sendHome: 'POST /send-home',
  markFailed: 'POST /failed/mark',
  resetFailed: 'POST /failed/reset',
  concurrency: 'POST /model-concurrency',
  metrics: 'GET /metrics',
  speedtest: 'GET /speedtest',
  startSpeedtest: 'POST /speedtest',
  cancelSpeedtest: 'POST /speedtest/cancel',
  explain: 'POST /explain',
  decisions: 'GET /decisions',
  dryRun: 'POST /explain/replay',
  preview: 'POST /chain/preview',
  exportConfig: 'GET /config/export',
  importConfig: 'POST /config/import',
} as const satisfies { readonly [N in OperationName]?: string }

export type Used = keyof typeof paths

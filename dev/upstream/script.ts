// What each demo model does next: an ordered list of orders per route, each for a number of requests and perhaps one purpose only.
import { FAULTS, faultById, faultOfModel } from '../../src/contract/faults.ts'
import type { Fault, FaultId } from '../../src/contract/faults.ts'

/** What a request seems to be for; `other` are requests without tools, such as probes and speed tests. */
export type Purpose = 'chat' | 'title' | 'compaction' | 'other'

/** A call of one of the host's tools, as a model makes it. */
export interface ToolCall { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }

export interface Order {
  readonly fault: FaultId
  /** The tool that the fault `tool-call` calls; a harmless one when absent. */
  readonly tool?: ToolCall
  /** Requests it holds for; absent = until it is replaced. */
  readonly times?: number
  /** Requests it applies to; absent = all. */
  readonly purpose?: Purpose
}

export interface Script {
  /** Replaces the orders of a route; none = the model answers again. */
  set(provider: string, model: string, orders: FaultId | Order | readonly (FaultId | Order)[]): void
  /** The fault to play for the next request of this route, with its tool; uses up one of its times. */
  next(provider: string, model: string, purpose: Purpose): { readonly fault: Fault; readonly tool: ToolCall | null }
  /** Forgets every order. */
  clear(): void
}

const key = (provider: string, model: string) => JSON.stringify([provider, model])

/** Throws a RangeError that names the known ids. */
function known(order: Order): Order {
  if (!faultById(order.fault)) throw new RangeError(`unknown fault ${JSON.stringify(order.fault)}; known: ${FAULTS.map(({ id }) => id).join(', ')}`)
  if (order.times !== undefined && !(Number.isInteger(order.times) && order.times >= 1)) throw new RangeError('times must be a whole number of at least 1')
  return order
}

/** A list of fault ids is played one request each; a single fault stays until it is replaced. */
function toOrders(orders: FaultId | Order | readonly (FaultId | Order)[]): Order[] {
  if (typeof orders === 'string') return [known({ fault: orders })]
  if ('fault' in orders) return [known(orders)]
  return orders.map((order) => known(typeof order === 'string' ? { fault: order, times: 1 } : order))
}

export function createScript(): Script {
  const plans = new Map<string, { order: Order; left: number }[]>()
  const answer = FAULTS[0]
  return {
    set: (provider, model, orders) => {
      plans.set(key(provider, model), toOrders(orders).map((order) => ({ order, left: order.times ?? Infinity })))
    },
    next: (provider, model, purpose) => {
      const plan = plans.get(key(provider, model))?.find(({ order, left }) => left > 0 && (order.purpose ?? purpose) === purpose)
      if (!plan) return { fault: faultOfModel(model) ?? answer, tool: null }
      plan.left -= 1
      return { fault: faultById(plan.order.fault) ?? answer, tool: plan.order.tool ?? null }
    },
    clear: () => plans.clear(),
  }
}

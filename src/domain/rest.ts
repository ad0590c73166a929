/** The short rest of a route that is full: a soft hold that ends by its clock alone. Instants of the steady clock, ms. */

export const NO_REST = Number.NEGATIVE_INFINITY

/** The end of a rest that is asked for while another may run: the later of both. */
export function extendRest(current: number, until: number): number {
  return Math.max(current, until)
}

export function isResting(until: number, now: number): boolean {
  return now < until
}

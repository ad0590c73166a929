/** One line of the benchmark table, and how its figures are taken: medians of interleaved rounds. */

export interface BenchRow { id: number; work: string; ours: number; floor: number | null; naive: number | null; unit: string; target: string; met: boolean }

/** The median; of an even number of values the lower middle one. NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN
}

/**
 * Milliseconds of processor time of this thread: what long work costs, whatever else the machine does meanwhile. The
 * clock moves in steps of some milliseconds.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Processor milliseconds of this thread that synchronous work of at least some tens of milliseconds takes. */
export function cost(work: () => unknown): number {
  const start = cpuMs()
  work()
  return cpuMs() - start
}

/**
 * What short work takes, in ms of the steady clock: the mean of the faster three quarters of `times` runs. A run that the
 * machine interrupts falls out, so runs should be shorter than a time slice.
 */
export async function typical(times: number, work: () => unknown): Promise<number> {
  const taken: number[] = []
  for (let run = 0; run < times; run++) {
    const start = performance.now()
    const pending = work()
    if (pending instanceof Promise) await pending
    taken.push(performance.now() - start)
  }
  const kept = taken.sort((a, b) => a - b).slice(0, Math.max(1, Math.floor(times * 0.75)))
  return kept.reduce((sum, one) => sum + one, 0) / kept.length
}

/**
 * Runs the contenders one after the other, `rounds` times after one round of warming up, and gives the median of each.
 * Every contender returns its own figure (a time, a size); the order turns with each round so that none always goes first.
 */
export async function interleave<K extends string>(rounds: number, contenders: Readonly<Record<K, () => number | Promise<number>>>): Promise<Record<K, number>> {
  const names = Object.keys(contenders) as K[]
  const figures = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + Math.max(0, round)) % names.length] as K
      const figure = await contenders[name]()
      if (round >= 0) figures[name].push(figure)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(figures[name])])) as Record<K, number>
}

// What a program that imports the plugin's main entry sees.

/** The name of the plugin's row. */
export declare const name: 'model-failover'

/** Services the host half waits for. */
export declare const inject: readonly string[]

/** Mounts the plugin on a host context; `row` is the row's config. Never throws. */
export declare function apply(ctx: unknown, row?: unknown): void | Promise<void>

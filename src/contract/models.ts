/** The host's model registry as the settings page and subagent seats need it. */
import * as z from 'zod'

export const modelInfo = z.object({
  id: z.string(), name: z.string(), efforts: z.array(z.string()),
  contextWindow: z.number().optional(), inputs: z.array(z.string()).optional(),
})
export const providerInfo = z.object({ id: z.string(), name: z.string(), models: z.array(modelInfo) })
export const modelsReply = z.object({
  providers: z.array(providerInfo),
  failures: z.array(z.object({ provider: z.string(), message: z.string() })),
})
export type ModelsReply = Readonly<z.infer<typeof modelsReply>>
export type ProviderInfo = Readonly<z.infer<typeof providerInfo>>
export type ModelInfo = Readonly<z.infer<typeof modelInfo>>

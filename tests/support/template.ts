// Once per suite: builds and packs the plugin and installs it into a home that every test copies.
import type { TestProject } from 'vitest/node'
import { makeTemplate } from '../../dev/home.mts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a home with the plugin installed. */
    template: string
  }
}

/** A home that the caller already made is used as it is. */
export default async function setup(project: TestProject): Promise<() => void> {
  const given = process.env['MF_TEMPLATE']
  if (given !== undefined && given !== '') {
    project.provide('template', given)
    return () => {}
  }
  const template = await makeTemplate()
  project.provide('template', template.path)
  return () => template.remove()
}

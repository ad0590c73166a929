// Four suites: unit tests beside their files, stories in one process, the real host, and the real host in a browser.
import { defineConfig } from 'vitest/config'

/** Suites that start hosts share two cores with them: two files at a time, and room for a slow machine. */
const heavy = { globalSetup: 'tests/support/template.ts', testTimeout: 120_000, hookTimeout: 180_000, maxWorkers: 2, expect: { poll: { timeout: 15_000 } } }

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts', 'client/**/*.test.{ts,tsx}', 'dev/**/*.test.ts', 'bench/**/*.test.ts'] } },
      { extends: true, test: { name: 'stories', include: ['tests/*.test.ts'] } },
      { extends: true, test: { name: 'e2e', include: ['tests/e2e/**/*.test.ts'], ...heavy } },
      { extends: true, test: { name: 'browser', include: ['tests/browser/**/*.test.ts'], ...heavy } },
    ],
  },
})

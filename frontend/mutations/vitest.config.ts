/** The tests of the data layer alone: what they do not notice, nobody notices. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    environment: 'happy-dom',
    setupFiles: ['./vitest.setup.ts'],
    include: ['src/data/**/*.test.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    // One window for all: a window of its own for each file takes most of the time.
    isolate: false,
  },
})

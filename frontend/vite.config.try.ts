/** Build, development server and test runner of the front end. */
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

import { firstPageBudget } from './firstPageBudget.ts'
import { pageFiles } from './pageFiles.ts'

const backend = process.env['MINDINSIGHT_DEV_BACKEND'] ?? 'http://127.0.0.1:8080'

export default defineConfig({
  // Relative, because the server may mount the dashboard below any path.
  base: './',
  plugins: [vue(), firstPageBudget('/pages/runs/RunsPage.vue', 400_000), pageFiles()],
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_I18N_LEGACY_API__: 'false',
    __INTLIFY_PROD_DEVTOOLS__: 'false',
  },
  build: {
    outDir: '../mindinsight/static/dist',
    emptyOutDir: true,
    // No data: addresses: the content security policy allows only 'self'.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // A request costs about as much as 100 kB: what belongs together is one file, and small shared ones are joined.
        codeSplitting: {
          groups: [{ name: 'shell', tags: ['$initial'], priority: 2 }, { name: 'shared', minShareCount: 4, test: /src.(?!.*([vV]irtual))/ }],
        },
      },
    },
    target: 'es2022',
  },
  server: {
    proxy: {
      // The dashboard answers only to its own address.
      '/api': { target: backend, changeOrigin: true },
      '/ws': { target: backend, changeOrigin: true, ws: true, rewriteWsOrigin: true },
    },
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.ts'],
    setupFiles: ['./vitest.setup.ts'],
    restoreMocks: true,
    unstubGlobals: true,
  },
})

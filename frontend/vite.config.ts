/** Build, development server and test runner of the front end. */
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

import { compiledTexts } from './compiledTexts.ts'
import { firstPageBudget } from './firstPageBudget.ts'
import { pageFiles } from './pageFiles.ts'
import { sharedFiles, textsFile } from './sharedFiles.ts'

const backend = process.env['MINDINSIGHT_DEV_BACKEND'] ?? 'http://127.0.0.1:8080'

/** Code of several pages has a file of its own, from this many bytes on. */
const SHARED = { minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 3000 }

/** Tests of what keeps state beyond them. */
const OWN_WINDOW = ['src/{app,data,scaffold}/**/*.test.ts', 'src/**/*Page.test.ts']

export default defineConfig({
  // Relative, because the server may mount the dashboard below any path.
  base: './',
  plugins: [
    vue(),
    compiledTexts(),
    firstPageBudget('/pages/runs/RunsPage.vue', 121_000),
    pageFiles({
      beside: { '/app/runColumn/RunColumn.vue': ['scalars', 'distributions', 'images', 'text'] },
      data: ['api/runs?limit=10000', 'api/status'],
      questions: {
        graph: [
          {
            address: 'api/graphs/inside?graph={}&equivalence=op&box=&by=op',
            takes: 'graph',
            unless: ['with', 'same', 'colour'],
          },
        ],
        lineage: [
          {
            address: 'api/lineage/table?query=&shelf=active&scalars=',
            takes: null,
            unless: ['view', 'q', 'shelf', 'scalars'],
          },
        ],
      },
    }),
  ],
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
    target: 'es2022',
    // A request costs about as much as 100 kB: what belongs together is one file, and small shared ones are joined.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // A chunk of several pages is named by its group, not by all of them.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        codeSplitting: {
          groups: [
            { name: 'shell', tags: ['$initial'], priority: 6 },
            // Both languages of a page are one file.
            { name: textsFile, priority: 8 },
            {
              name: 'markdown',
              test: /node_modules[\\/](markdown-it|dompurify|linkify-it|mdurl|entities|uc\.micro|punycode)/,
              priority: 5,
            },
            // Texts that pages have besides their own.
            { name: 'words', test: /\/src\/(charts|edits|graphs|queries)\/texts\//, priority: 7 },
            ...sharedFiles,
            { name: 'shared', priority: 1, ...SHARED },
          ],
        },
      },
    },
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
    setupFiles: ['./vitest.setup.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    // Making a window and loading the modules takes longer than most tests. Pages, the shell and the live data keep
    // state beyond their tests, so each of their files has a window of its own; the others share one.
    projects: [
      { extends: true, test: { name: 'own window', include: OWN_WINDOW } },
      {
        extends: true,
        test: { name: 'shared window', include: ['src/**/*.test.ts'], exclude: OWN_WINDOW, isolate: false },
      },
    ],
  },
})

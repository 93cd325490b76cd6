/**
 * The texts in the browser: those of the shell and of components at once, those of a page together with the page, so
 * that the first page does not wait for the texts of all others. Called by main.ts.
 */
import type { Router } from 'vue-router'

import { LANGUAGES, makeTexts, type Messages, type Texts } from './make'

const shared = import.meta.glob<Messages>(['../{app,components}/texts/*.json'], { eager: true, import: 'default' })
const ofPages = import.meta.glob<Messages>(
  [
    '../pages/*/texts/*.json',
    '../pages/lineage/*/texts/*.json',
    '../{charts,comparison,edits,graphs,queries}/texts/*.json',
  ],
  { import: 'default' },
)
/** Other parts of pages with their own texts. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  runs: ['../queries', '../comparison'],
  scalars: ['../charts', '../queries'],
  overview: ['../charts'],
  gallery: ['../charts'],
  graph: ['../graphs'],
  distributions: ['../queries'],
  images: ['../queries'],
  text: ['../queries'],
  debugger: ['../graphs', '../pages/graph', '../pages/tensors'],
  lineage: ['../queries', '../comparison', '../pages/lineage/cards', '../pages/lineage/data'],
}

/** Fetches the texts of a page in both languages, if it has any. */
async function loadPage(texts: Texts, page: string): Promise<void> {
  // Undo descriptions are fetched when there is something to undo: no first page waits for them.
  const folders = [`../pages/${page}`, '../edits', ...(PARTS[page] ?? [])]
  await Promise.all(
    LANGUAGES.map(async (language) => {
      const found = await Promise.all(folders.map((folder) => ofPages[`${folder}/texts/${language}.json`]?.()))
      // Every folder has its own name, so nothing below it needs a merge, which would copy every text.
      texts.global.setLocaleMessage(
        language,
        Object.assign({}, texts.global.getLocaleMessage(language), ...found) as Messages,
      )
    }),
  )
}

/** Texts that grow with the pages that a router opens. Routes have the names of their pages' folders. */
export function createTextsWithPages(language: string, router: Router): Texts {
  const texts = makeTexts(language, shared)
  const loading = new Map<string, Promise<void>>()
  // Fetched together with the page's code, and available before it is mounted.
  router.beforeEach((to) => {
    const page = String(to.name)
    if (loading.has(page)) return
    const job = loadPage(texts, page)
    job.catch(() => loading.delete(page))
    loading.set(page, job)
  })
  router.beforeResolve(async (to) => {
    await loading.get(String(to.name))
  })
  return texts
}

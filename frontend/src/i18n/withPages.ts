/**
 * Texts as the browser has them: those of the shell and of components at once, those of a page with the page, so that
 * the first page does not wait for the words of all others. Called by main.ts.
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
/** What else pages are made of that has texts of its own. */
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

/** Fetches the texts of a page in both languages; a page without any has none to wait for. */
async function loadPage(texts: Texts, page: string): Promise<void> {
  // What can be undone is said once there is something: no first page waits for it.
  const folders = [`../pages/${page}`, '../edits', ...(PARTS[page] ?? [])]
  await Promise.all(
    LANGUAGES.map(async (language) => {
      const found = await Promise.all(folders.map((folder) => ofPages[`${folder}/texts/${language}.json`]?.()))
      // Every folder has a name of its own: nothing is to be merged below it, which would copy every text.
      texts.global.setLocaleMessage(
        language,
        Object.assign({}, texts.global.getLocaleMessage(language), ...found) as Messages,
      )
    }),
  )
}

/** Texts that grow with the pages that a router opens; routes have the names of their pages' folders. */
export function createTextsWithPages(language: string, router: Router): Texts {
  const texts = makeTexts(language, shared)
  const loading = new Map<string, Promise<void>>()
  // Together with the page's own code, and known before it is mounted.
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

/**
 * The texts of all pages in English and Simplified Chinese.
 * Every folder below src/ may hold `texts/en.json` and `texts/zh-CN.json`; their top-level key is the
 * folder's name (`scalars.title`), so that folders never collide and a text is found beside its page.
 * This module has all texts at once, for tests. The browser fetches a page's texts with the page (`withPages.ts`).
 */
import { makeTexts, ofLanguage, type Messages } from './make'

export type { Messages } from './make'

const files = import.meta.glob<Messages>('../**/texts/*.json', { eager: true, import: 'default' })

/** The merged texts of one language. */
export function messagesOf(language: string): Messages {
  return ofLanguage(files, language)
}

/** A new vue-i18n instance; tests make their own. */
export function createTexts(language: string) {
  return makeTexts(language, files)
}

/**
 * Makes vue-i18n instances from files of texts. Called by both ways of loading texts: all at once, or with each page.
 */
import { createI18n } from 'vue-i18n'

/** Texts by name, in groups. */
export interface Messages {
  [name: string]: string | Messages
}

export const LANGUAGES = ['en', 'zh-CN'] as const

/** The merged texts of one language from files whose names end with it. */
export function ofLanguage(files: Readonly<Record<string, Messages>>, language: string): Messages {
  const chosen = Object.entries(files).filter(([path]) => path.endsWith(`/${language}.json`))
  return Object.assign({}, ...chosen.map(([, texts]) => texts)) as Messages
}

export function makeTexts(language: string, files: Readonly<Record<string, Messages>>) {
  return createI18n<[Messages], string, false>({
    legacy: false,
    locale: language,
    fallbackLocale: 'en',
    messages: { en: ofLanguage(files, 'en'), 'zh-CN': ofLanguage(files, 'zh-CN') },
  })
}

export type Texts = ReturnType<typeof makeTexts>

/**
 * Puts a failure of the API in words of the page's language; what the texts do not know keeps the server's own
 * sentence. Every place that shows an ApiProblem takes its words from here.
 */
import { useI18n } from 'vue-i18n'

import type { ApiProblem } from '../../data/types'
import { useExpectedText } from './expectedText'

/** @returns the function that words a failure */
export function useProblemText(): (problem: ApiProblem) => string {
  const { t, te } = useI18n()
  const expectedText = useExpectedText()
  return ({ code, message, detail }) => {
    const key = `components.problem.${code}`
    const named = code === 'bad_query' ? { ...detail, expected: expectedText(detail) } : detail
    return te(key) ? t(key, named) : message
  }
}

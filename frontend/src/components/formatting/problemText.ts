/**
 * Describes a failure of the API in the page's language. Unknown codes keep the server's sentence. Used wherever an
 * ApiProblem is shown.
 */
import { useI18n } from 'vue-i18n'

import type { ApiProblem } from '../../data/types'
import { useExpectedText } from './expectedText'

/** @returns the function that describes a failure */
export function useProblemText(): (problem: ApiProblem) => string {
  const { t, te } = useI18n()
  const expectedText = useExpectedText()
  return ({ code, message, detail }) => {
    const key = `components.problem.${code}`
    const named = code === 'bad_query' ? { ...detail, expected: expectedText(detail) } : detail
    return te(key) ? t(key, named) : message
  }
}

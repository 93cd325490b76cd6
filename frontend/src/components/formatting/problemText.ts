/**
 * Describes a failure of the API in the page's language. Unknown codes, and known ones without the reason that their
 * sentence has, keep the server's sentence. Used wherever an
 * ApiProblem is shown.
 */
import { useI18n } from 'vue-i18n'

import type { ApiProblem } from '../../data/types'
import { useExpectedText } from './expectedText'

const isWithoutReason = (text: string, detail: Record<string, unknown>): boolean =>
  text.includes('{reason}') && String(detail['reason'] ?? '').trim() === ''

/** @returns the function that describes a failure */
export function useProblemText(): (problem: ApiProblem) => string {
  const { t, te, tm } = useI18n()
  const expectedText = useExpectedText()
  return ({ code, message, detail }) => {
    const key = `components.problem.${code}`
    const named = code === 'bad_query' ? { ...detail, expected: expectedText(detail) } : detail
    return te(key) && !isWithoutReason(String(tm(key)), named) ? t(key, named) : message
  }
}

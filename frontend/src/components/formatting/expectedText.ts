/**
 * Describes what was expected at the place of a query's error, in the page's language. Called by the texts of failures.
 */
import { useI18n } from 'vue-i18n'

import type { ApiProblem } from '../../data/types'

/** @returns the function that describes a `bad_query`; unknown codes keep the server's text */
export function useExpectedText(): (detail: ApiProblem['detail']) => string {
  const { t, te } = useI18n()
  return ({ expected, expected_code: code, expected_values: values }) => {
    const key = `queries.expected.${String(code)}`
    return te(key) ? t(key, (values ?? {}) as Record<string, unknown>) : String(expected)
  }
}

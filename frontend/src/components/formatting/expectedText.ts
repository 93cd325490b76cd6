/**
 * What a query that was not understood should have at the place of its error, in the page's language. Called where
 * failures are worded.
 */
import { useI18n } from 'vue-i18n'

import type { ApiProblem } from '../../data/types'

/** @returns the function that words a `bad_query`: what the texts do not know keeps the server's own words */
export function useExpectedText(): (detail: ApiProblem['detail']) => string {
  const { t, te } = useI18n()
  return ({ expected, expected_code: code, expected_values: values }) => {
    const key = `queries.expected.${String(code)}`
    return te(key) ? t(key, (values ?? {}) as Record<string, unknown>) : String(expected)
  }
}

/** The functions of numbers.ts in the language of the page. Used inside components only. */
import { useI18n } from 'vue-i18n'

import * as numbers from './numbers'

export function useFormat() {
  const { locale } = useI18n()
  return {
    number: (value: number) => numbers.formatNumber(value, locale.value),
    /** Short form for small spaces. */
    short: (value: number) => numbers.formatNumber(value, locale.value, 3),
    integer: (value: number) => numbers.formatInteger(value, locale.value),
    count: (value: number) => numbers.formatCount(value, locale.value),
    bytes: (value: number) => numbers.formatBytes(value, locale.value),
    progress: (done: number, total: number) => numbers.formatProgress(done, total, locale.value),
    interval: (seconds: number) => numbers.formatInterval(seconds, locale.value),
    duration: numbers.formatDuration,
    ago: (seconds: number) => numbers.formatAgo(seconds, locale.value),
    age: (seconds: number) => numbers.formatAge(seconds, locale.value),
    span: (seconds: number) => numbers.formatSpan(seconds, locale.value),
    moment: (seconds: number) => numbers.formatMoment(seconds, locale.value),
  }
}

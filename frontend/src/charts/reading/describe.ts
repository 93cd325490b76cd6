/** Describes a chart in the page's language. Called by LineChart.vue and the cards around it. */
import { formatInteger } from '../../components/formatting/numbers'
import { sentenceDigits, sentenceNumber } from '../scales/numbers'
import type { NotFinite, Summary } from './summary'

/** The used part of vue-i18n's `t`. */
export type Translate = (key: string, named: Record<string, unknown>, plural?: number) => string

/**
 * "2.31 → 0.0418, min 0.0391 at step 1,812, rising for the last 300 steps", or for several runs their range and the
 * best run.
 */
export function describe(summary: Summary, t: Translate, locale: string): string {
  const { best } = summary
  if (!best) return t('charts.noNumbers', {})
  // "2.5G → 2.5G" would look like no change.
  const digits =
    summary.runs === 1 ? sentenceDigits(summary.first, summary.last) : sentenceDigits(summary.lastLow, summary.lastHigh)
  const number = (value: number): string => sentenceNumber(value, locale, digits)
  const words = { value: number(best.value), step: formatInteger(best.step, locale), run: best.run }
  if (summary.runs === 1) {
    const course = t('charts.course', { first: number(summary.first), last: number(summary.last) })
    const whole = t(`charts.${summary.bestIs}`, { course, ...words })
    const { trend } = summary
    return trend
      ? t(`charts.trend.${trend.way}`, { course: whole, steps: formatInteger(trend.steps, locale) }, trend.steps)
      : whole
  }
  const low = number(summary.lastLow)
  const high = number(summary.lastHigh)
  const course = low === high ? t('charts.lastSame', { low }) : t('charts.lastRange', { low, high })
  return t(`charts.${summary.bestIs}Run`, { course, ...words })
}

/** "10 Inf", for small spaces. */
export function countNotFinite(odd: NotFinite, t: Translate, locale: string): string {
  return t(`charts.odd.${odd.kind}`, { n: formatInteger(odd.count, locale) }, odd.count)
}

/** "1 NaN at 4,812", "3 not finite, first at 17"; empty if all values are finite. */
export function describeNotFinite(odd: NotFinite | null, t: Translate, locale: string): string {
  if (!odd) return ''
  const what = countNotFinite(odd, t, locale)
  if (odd.step === null) return what
  const step = formatInteger(odd.step, locale)
  return odd.count === 1 ? t('charts.oddAt', { what, step }) : t('charts.oddFirst', { what, step })
}

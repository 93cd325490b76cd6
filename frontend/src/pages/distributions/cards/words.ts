/** A histogram, a bucket and rows of steps as sentences. Called by cards and plots. */
import type { useI18n } from 'vue-i18n'

import { sentenceNumber } from '../../../charts/scales/numbers'
import { formatCount, formatInteger } from '../../../components/formatting/numbers'
import type { Bounds } from '../drawing/formats'
import type { Row } from '../drawing/frame'
import { bands, bucketAt, bucketOf, notFinite, type Histogram, type OddCounts } from '../drawing/histogram'
import { along } from '../drawing/scale'
import type { Place, Scene } from '../drawing/scene'

type Translate = ReturnType<typeof useI18n>['t']

/** A share with as many digits as necessary: 12%, 1.3%, 0.02%, <0.01%. */
export function percent(share: number): string {
  if (share > 0 && share < 0.0001) return '<0.01%'
  return `${Number((share * 100).toPrecision(share < 0.1 ? 2 : 3))}%`
}

/** A share with known bounds only: one number if the bounds are equal. */
export function boundsText({ least, most }: Bounds): string {
  if (most - least <= 0.001) return percent(most)
  return least > 0 ? `${percent(least)}–${percent(most)}` : `≤ ${percent(most)}`
}

/** Counts of NaN and infinities; empty if there are none. */
export function oddText(of: OddCounts, locale: string): string {
  const kinds: [string, number][] = [
    ['✕ NaN', of.nan],
    ['▲ Inf', of.posInf],
    ['▼ −Inf', of.negInf],
  ]
  return kinds.flatMap(([sign, count]) => (count ? [`${sign} ${formatInteger(count, locale)}`] : [])).join(' · ')
}

/** The step of a row, or its steps. */
export function stepsText({ first, last, items }: Row, t: Translate, locale: string): string {
  if (first === last) return t('distributions.atStep', { step: formatInteger(last, locale) })
  return t('distributions.atSteps', {
    first: formatInteger(first, locale),
    last: formatInteger(last, locale),
    n: formatInteger(items, locale),
  })
}

function bucketText(low: number, high: number, elements: number, share: number, t: Translate, locale: string): string {
  const [from, to] = [low, high].map((edge) => sentenceNumber(edge, locale))
  const range = low === high ? from : t('distributions.range', { low: from, high: to })
  const count = Number.isInteger(elements) ? formatCount(elements, locale) : sentenceNumber(elements, locale)
  return `${range} · ${t('distributions.values', { n: count }, elements)} (${percent(share)})`
}

/**
 * What is under a place: the recorded bucket with its exact edges and count, or, of several steps together, a cell.
 * @param exact the histogram that is meant: of the row where it is one alone, or of the step cursor
 */
export function placeText(
  scene: Scene,
  counts: Float32Array,
  exact: Histogram | null,
  { row, value }: Place,
  t: Translate,
  locale: string,
): string {
  const here = scene.rows[row]
  const step = exact
    ? t('distributions.atStep', { step: formatInteger(exact.step, locale) })
    : stepsText(here, t, locale)
  const odd = oddText(exact ?? here, locale)
  if (exact) {
    const bucket = bucketOf(exact, bucketAt(exact, value))
    const text = bucket
      ? bucketText(bucket.low, bucket.high, bucket.count, bucket.share, t, locale)
      : t('distributions.noBucket', { value: sentenceNumber(value, locale) })
    return [step, text, odd].filter(Boolean).join(' · ')
  }
  const cells = scene.edges.length - 1
  const cell = Math.min(cells - 1, Math.max(0, Math.floor(along(scene.interval, value, cells))))
  const elements = Math.round(counts[row * cells + cell])
  return [
    step,
    bucketText(scene.edges[cell], scene.edges[cell + 1], elements, here.finite ? elements / here.finite : 0, t, locale),
    odd,
  ]
    .filter(Boolean)
    .join(' · ')
}

function spreadText(percentiles: readonly number[], t: Translate, locale: string): string {
  const [p5, p25, p50, p75, p95] = percentiles.map((value) => sentenceNumber(value, locale))
  return t('distributions.summary', { p5, p25, p50, p75, p95 })
}

/** A step's distribution: its median, and the ranges of half and of nine tenths of the elements. */
export function stepText(of: Histogram, t: Translate, locale: string): string {
  const step = t('distributions.atStep', { step: formatInteger(of.step, locale) })
  if (!of.finite) return [step, oddText(of, locale) || t('distributions.empty')].join(' · ')
  return [step, spreadText(bands(of), t, locale), oddText(of, locale)].filter(Boolean).join(' · ')
}

/** The same for a row of several steps. */
export function rowText(row: Row, t: Translate, locale: string): string {
  const step = stepsText(row, t, locale)
  if (!row.finite) return [step, oddText(row, locale) || t('distributions.empty')].join(' · ')
  return [step, spreadText(row.bands, t, locale), oddText(row, locale)].filter(Boolean).join(' · ')
}

/** The number of rows with NaN or infinities; empty if there are none. */
export function oddRows(rows: readonly Row[], t: Translate, locale: string): string {
  const count = rows.filter((one) => notFinite(one) > 0).length
  const merged = rows.some((one) => one.items > 1)
  return count
    ? t(merged ? 'distributions.oddPlaces' : 'distributions.oddSteps', { n: formatInteger(count, locale) }, count)
    : ''
}

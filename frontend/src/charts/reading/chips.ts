/**
 * Facts about the picture for a chart's head: scales, invisible values, values that rules mark. Given to the page's
 * card.
 */
import { formatInteger } from '../../components/formatting/numbers'
import type { Translate } from './describe'
import { sentenceNumber } from '../scales/numbers'
import type { PlotFacts } from '../useLinePlot'
import type { ChartView, Rule } from '../view'

export interface ChartChip {
  key: string
  tone: 'plain' | 'warn'
  text: string
  /** In full, for the tooltip and for screen readers. */
  title: string
}

/** "> 10", "< 0 or > 10", "> 0 and < 1". */
export function ruleWords({ above, below, join }: Rule, t: Translate, locale: string): string {
  const number = (value: number): string => sentenceNumber(value, locale, 6)
  const low = below === null ? [] : [t('charts.rule.below', { value: number(below) })]
  const high = above === null ? [] : [t('charts.rule.above', { value: number(above) })]
  const parts = join === 'and' ? [...high, ...low] : [...low, ...high]
  return parts.length < 2 ? parts.join('') : t(`charts.rule.${join}`, { one: parts[0], other: parts[1] })
}

/** The same for the bands of a rule. Two separate bands each have their part, separated by a bar. */
export function bandWords(rule: Rule, t: Translate, locale: string): string {
  if (rule.join === 'and' || rule.above === null || rule.below === null) return ruleWords(rule, t, locale)
  return [
    { ...rule, above: null },
    { ...rule, below: null },
  ]
    .map((part) => ruleWords(part, t, locale))
    .join('|')
}

export function chipsOf(
  { counts, linear }: Pick<PlotFacts, 'counts' | 'linear'>,
  view: ChartView,
  t: Translate,
  locale: string,
): ChartChip[] {
  const chips: ChartChip[] = []
  const add = (key: string, tone: ChartChip['tone'], named: Record<string, unknown>, n?: number): void => {
    chips.push({ key, tone, text: t(`charts.chip.${key}`, named, n), title: t(`charts.chip.${key}Title`, named, n) })
  }
  const counted = (n: number): Record<string, unknown> => ({ n: formatInteger(n, locale) })
  view.rules.forEach((rule, at) => {
    const n = counts.hits[at]
    const words = ruleWords(rule, t, locale)
    const text =
      n === null || n === undefined
        ? t('charts.chip.counting', { rule: words })
        : t('charts.chip.hits', { ...counted(n), rule: words }, n)
    const title = n === null || n === undefined ? text : t('charts.chip.hitsTitle', { ...counted(n), rule: words }, n)
    chips.push({ key: `hits${at}`, tone: n ? 'warn' : 'plain', text, title })
  })
  if (view.yScale === 'log') add('log', 'plain', {})
  if (linear.y !== null) add('symlog', 'plain', { linear: sentenceNumber(linear.y, locale) })
  if (linear.x !== null) add('symlogX', 'plain', { linear: sentenceNumber(linear.x, locale) })
  if (counts.hidden) add('hidden', 'plain', counted(counts.hidden), counts.hidden)
  if (counts.above) add('above', 'plain', counted(counts.above), counts.above)
  if (counts.below) add('below', 'plain', counted(counts.below), counts.below)
  return chips
}

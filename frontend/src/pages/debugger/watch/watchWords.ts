/** Watchpoints, settings and hits in words. Used by the parts of the left pane. */
import { useI18n } from 'vue-i18n'

import { useFormat } from '../../../components/formatting/format'
import type { Hit, Measured, Setting, Targets, Watchpoint } from '../data/messages'
import { badOf } from '../nodes/health'
import { EXPRESSION, partsOf, standardKinds } from './conditions'

/** More nodes than this are only counted. */
const MOST_NAMED = 2

export function useWatchWords() {
  const { t, te } = useI18n()
  const format = useFormat()

  const conditionText = (name: string): string =>
    te(`debugger.condition.${name}`) ? t(`debugger.condition.${name}`) : name
  const titleOf = ({ condition, expression }: Watchpoint): string =>
    condition === EXPRESSION ? expression : conditionText(condition)
  const statisticText = (name: string): string =>
    te(`debugger.setting.${name}`) ? t(`debugger.setting.${name}`) : name
  function settingText({ name, value }: Setting): string {
    const { statistic, sign } = partsOf(name)
    return `${statisticText(statistic)} ${sign || '='} ${format.number(value)}`
  }
  /** The targets of a watchpoint; without targets, everything that its condition is made for. */
  function targetsText({ kinds, patterns, nodes }: Targets, condition: string): string {
    const all = kinds.length || patterns.length || nodes.length ? kinds : standardKinds(condition)
    const some = nodes.length > MOST_NAMED ? [t('debugger.watch.nodes', { n: format.integer(nodes.length) })] : nodes
    return [...all.map((kind) => t(`debugger.all.${kind}`)), ...patterns, ...some].join(', ')
  }
  /** The limits and the measured values. */
  function measuredText({ name, set, actual }: Measured): string {
    if (te(`debugger.counted.${name}`)) return t(`debugger.counted.${name}`, { n: format.integer(actual) })
    return t('debugger.hits.measured', {
      what: statisticText(partsOf(name).statistic),
      actual: format.number(actual),
      set: format.number(set),
    })
  }
  function hitText({ measured, statistics }: Hit): string {
    const some = measured.filter(({ hit }) => hit)
    if (some.length) return some.map(measuredText).join(', ')
    if (!statistics || badOf(statistics) === 0) return ''
    const counts = [
      ['NaN', statistics.nans],
      ['+Inf', statistics.pos_infs],
      ['−Inf', statistics.neg_infs],
    ] as const
    return t('debugger.hits.of', {
      what: counts.flatMap(([what, n]) => (n > 0 ? [`${what} ${format.integer(n)}`] : [])).join(', '),
      n: format.integer(statistics.count),
    })
  }
  /** A part of a step's time in two digits. */
  const percent = (share: number): string =>
    t('debugger.watch.percent', {
      n: share > 0 && share < 5e-4 ? '< 0.1' : String(Number((100 * share).toPrecision(2))),
    })
  const adviceText = (key: string): string => (te(`debugger.advice.${key}`) ? t(`debugger.advice.${key}`) : '')
  return { conditionText, titleOf, settingText, statisticText, targetsText, hitText, adviceText, percent }
}

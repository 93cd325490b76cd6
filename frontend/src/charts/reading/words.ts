/** Texts for axes, segments and events of runs. Called by the chart, its table and its exports. */
import { formatInteger } from '../../components/formatting/numbers'
import type { Translate } from './describe'
import type { Reading } from './readout'
import type { Moment, Setting } from '../drawing/moments'
import { tagOf, type XAxis } from '../view'

/** More moments than this are counted, not listed. */
const MOST_NAMED = 3

/** The title of the x axis. */
export function axisWords(x: XAxis, t: Translate): string {
  return tagOf(x) ?? t(`charts.xAxis.${x}`, {})
}

/** "before the restart at step 51" if a value was trained again later, else nothing. */
export function beforeRestart({ row, spec }: Pick<Reading, 'row' | 'spec'>, t: Translate, locale: string): string {
  return row < 0 || spec.restart === null ? '' : t('charts.before', { step: formatInteger(spec.restart, locale) })
}

/**
 * A number as a user would type it: for float32 values the digits after the seventh mean nothing.
 */
function settingWords(setting: Setting | null): string {
  return typeof setting === 'number' ? String(Number(setting.toPrecision(7))) : String(setting ?? '?')
}

function momentWords({ name, step, change }: Moment, t: Translate, locale: string): string {
  const where = { run: name, step: formatInteger(step, locale) }
  if (!change) return t('charts.restart', where)
  const values = { before: settingWords(change.before), after: settingWords(change.after) }
  return t(change.before === null ? 'charts.settingSet' : 'charts.settingChanged', {
    ...where,
    ...values,
    setting: change.name,
  })
}

/** One line for each moment: "adam: restarted at step 51". Of many moments, the first ones and their number. */
export function momentLines(moments: readonly Moment[], t: Translate, locale: string): string[] {
  const named = moments.slice(0, MOST_NAMED).map((moment) => momentWords(moment, t, locale))
  const left = moments.length - named.length
  return left > 0 ? [...named, t('charts.moreMoments', { n: formatInteger(left, locale) }, left)] : named
}

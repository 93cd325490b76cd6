/** Axes, segments and restarts in words. Called by the chart, its table and its exports. */
import { formatInteger } from '../components/numbers'
import type { Translate } from './describe'
import type { Reading } from './readout'
import type { Restart } from './restarts'
import { tagOf, type XAxis } from './view'

/** More restarts than these are counted, not named. */
const MOST_NAMED = 3

/** What lies along x, as the name of an axis. */
export function axisWords(x: XAxis, t: Translate): string {
  return tagOf(x) ?? t(`charts.xAxis.${x}`, {})
}

/** "before the restart at step 51" where a value was trained again later, else nothing. */
export function beforeRestart({ row, spec }: Pick<Reading, 'row' | 'spec'>, t: Translate, locale: string): string {
  return row < 0 || spec.restart === null ? '' : t('charts.before', { step: formatInteger(spec.restart, locale) })
}

/** One line for each restart: "adam: restarted at step 51"; of many the first ones and their number. */
export function restartLines(restarts: readonly Restart[], t: Translate, locale: string): string[] {
  const named = restarts.slice(0, MOST_NAMED).map(({ name, step }) => t('charts.restart', { run: name, step: formatInteger(step, locale) }))
  const left = restarts.length - named.length
  return left > 0 ? [...named, t('charts.moreRestarts', { n: formatInteger(left, locale) }, left)] : named
}

/** Figures and sentences of the page in its language. Used inside components only. */
import { useI18n } from 'vue-i18n'

import { useFormat } from '../../components/formatting/format'
import type { Finding, Operator } from './source'

const REASONS: readonly string[] = ['one_worker', 'python', 'reading', 'processors', 'work']
const ACTIONS: readonly string[] = ['workers', 'processes', 'save', 'random_access']

export function useWords() {
  const { t } = useI18n()
  const format = useFormat()

  const percent = (share: number | null): string =>
    share === null ? '–' : t('pipeline.percent', { n: format.integer(Math.round(100 * share)) })
  const rate = (rows: number | null): string =>
    rows === null ? '–' : t('pipeline.rate', { n: rows >= 100 ? format.integer(Math.round(rows)) : format.short(rows) })

  /** What the queues show. */
  function evidence({ input_full: full, output_empty: empty }: Finding): string {
    return full === null
      ? t('pipeline.finding.empty', { empty: percent(empty) })
      : t('pipeline.finding.fullEmpty', { full: percent(full), empty: percent(empty) })
  }
  /** Why it is slow. */
  function reason(found: Finding): string {
    const known = REASONS.includes(found.reason) ? found.reason : 'work'
    if (found.busy === null) return known === 'reading' ? t('pipeline.finding.reason.source') : ''
    const values = {
      busy: percent(found.busy),
      processors: percent(found.processors),
      n: format.integer(found.workers),
    }
    return t(`pipeline.finding.reason.${known}`, values, found.workers)
  }
  /** The operation of a Map that takes the most. */
  const operation = (found: Finding): string =>
    found.operation
      ? t('pipeline.finding.operation', { name: found.operation, share: percent(found.operation_share) })
      : ''
  /** What would help, with the gain. */
  function advice(found: Finding): string {
    if (!ACTIONS.includes(found.action)) return t('pipeline.finding.action.none')
    const what = t(`pipeline.finding.action.${found.action}`, { n: format.integer(found.count) })
    return found.gain === null || found.gain <= 1
      ? what
      : `${what} ${t('pipeline.finding.gain', { gain: found.gain.toFixed(1) })}`
  }
  /** Its workers: "2 threads". */
  function workers(one: Operator): string {
    // A file of MindSpore's profiler has only the set number.
    if (one.threads === 0)
      return one.queue || one.rate === null ? t('pipeline.workers', { n: one.workers }, one.workers) : ''
    return t(one.processes ? 'pipeline.processes' : 'pipeline.threads', { n: one.threads }, one.threads)
  }
  return { percent, rate, evidence, reason, operation, advice, workers }
}

/**
 * Describes the progress of reading in the page's language. Used wherever a Progress is shown.
 */
import { useI18n } from 'vue-i18n'

import type { Progress } from '../../data/runs/reading'
import { useFormat } from './format'

/** Whole percent. Unfinished work is never 100. */
export function percentOf({ done, total }: Pick<Progress, 'done' | 'total'>): number {
  return total > 0 ? Math.max(0, Math.min(99, Math.floor((100 * done) / total))) : 0
}

export function useProgressText() {
  const { t } = useI18n()
  const format = useFormat()
  const percent = (progress: Progress): string => format.integer(percentOf(progress))

  return {
    /** "61 %" */
    short: (progress: Progress): string => t('components.reading.percent', { percent: percent(progress) }),

    /** "61 % of 50 GB read, 3.20M events/s, 12 s left" */
    full(progress: Progress): string {
      const [, size] = format.progress(progress.done, progress.total)
      const parts = [t('components.reading.share', { percent: percent(progress), size })]
      const rate = Math.round(progress.eventsPerSecond)
      if (rate > 0) parts.push(t('components.reading.rate', { n: format.count(rate) }))
      if (progress.secondsLeft !== null)
        parts.push(t('components.reading.left', { span: format.span(progress.secondsLeft) }))
      return parts.join(t('components.reading.comma'))
    },

    /** "Reading 3 runs: 61 %, about 12 s left" */
    several(progress: Progress): string {
      const parts = [
        t(
          'components.reading.several',
          { n: format.integer(progress.runs), percent: percent(progress) },
          progress.runs,
        ),
      ]
      if (progress.secondsLeft !== null)
        parts.push(t('components.reading.about', { span: format.span(progress.secondsLeft) }))
      return parts.join(t('components.reading.comma'))
    },
  }
}

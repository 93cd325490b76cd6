/** The colours of boxes with their legend and its caption. Used by GraphPage. */
import { computed } from 'vue'
import { useI18n } from 'vue-i18n'

import { useFormat } from '../../../components/formatting/format'
import type { Box } from '../../../graphs/answers'
import { insideOf } from '../../../graphs/paths'
import type { GraphModel } from '../../../graphs/useGraph'
import type { ViewParams } from '../viewParams'
import { useColouring } from './useColouring'

/** @param isDrawn whether a box of an open container is drawn */
export function useLegend(model: GraphModel, view: ViewParams, isDrawn: (one: Box, container: string) => boolean) {
  const { t } = useI18n()
  const format = useFormat()
  const drawnAs: Record<string, (value: number) => string> = {
    bytes: format.bytes,
    seconds: format.interval,
    norm: format.short,
  }
  const {
    colourOf,
    entries: legend,
    top,
    amountOf,
    refresh: recolour,
  } = useColouring(
    model,
    () => view.colour.value,
    () => ['', ...view.open.value.map(insideOf)],
    isDrawn,
    {
      amount: (value, unit) => (drawnAs[unit ?? ''] ?? format.number)(value),
      family: (one) => t(`graph.family.${one}`),
      kernel: (number) => t('graph.kernel', { n: number }),
      more: (count) => t('graph.more', { n: format.integer(count) }),
      others: () => t('graph.colourOthers'),
      unlimited: () => t('graph.unlimited'),
      unknown: (by) => t(`graph.colourless.${by}`),
    },
  )
  /**
   * Caption of the legend: the meaning and the step of the amounts. If there are no values, a separate card says so.
   */
  const caption = computed(() => {
    const { unit, step } = top.value ?? {}
    if (!unit) return null
    const what = t(`graph.amounts.${view.colour.value}`)
    return step === null || step === undefined ? what : t('graph.amountsAt', { what, step: format.integer(step) })
  })
  return { colourOf, legend, top, amountOf, recolour, caption }
}

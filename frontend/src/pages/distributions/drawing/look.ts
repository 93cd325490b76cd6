/**
 * How all plots of the page are drawn: axis, heights, guide of half precision. Provided by the page, read by its plots.
 */
import { computed, inject, type ComputedRef, type InjectionKey, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'

import type { Look } from './drawer'
import { LIMITS, type Format } from './formats'
import type { Interval } from './scale'
import type { Height } from './scene'
import type { AxisKind } from '../source'

/** Whether each card has an axis of values of its own, or all have a common one. */
export const SCALES = ['own', 'common'] as const
export type Scale = (typeof SCALES)[number]

export interface PlotLook {
  axis: Ref<AxisKind>
  height: Ref<Height>
  format: Ref<Format>
  scale: Ref<Scale>
  /** The intervals of the mounted cards. */
  intervals: Map<symbol, Interval>
}

export const PLOT_LOOK: InjectionKey<PlotLook> = Symbol('plot look')

export function usePlotLook(): PlotLook {
  const look = inject(PLOT_LOOK)
  if (!look) throw new Error('A plot stands on a page that provides PLOT_LOOK.')
  return look
}

/** The part of a look that does not depend on the plot. */
export function useSharedLook(): ComputedRef<Pick<Look, 'height' | 'guide' | 'words' | 'locale'>> {
  const { t, locale } = useI18n()
  const { height, format } = usePlotLook()
  return computed(() => {
    const name = format.value
    return {
      height: height.value,
      locale: locale.value,
      guide:
        name === 'none'
          ? null
          : {
              limits: LIMITS[name],
              under: t('distributions.guide.under', { name }),
              over: t('distributions.guide.over', { name }),
            },
      words: { step: t('distributions.table.step'), odd: t('distributions.notNumbers') },
    }
  })
}

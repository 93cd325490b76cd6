/** Display of the cells of a grid: colours, their range, and the power of ten left out in the texts. */
import { computed, shallowRef, type ComputedRef, type ShallowRef } from 'vue'

import { currentInk, type Ink } from '../../charts/drawing/theme'
import { makePalette, spanOf, type Palette, type Span } from '../palette'
import { cellCharacters, powerOf } from '../tiles'
import type { TensorModel } from '../useTensor'
import type { Look } from './paint'

export interface GridLook {
  ink: ShallowRef<Ink>
  palette: ComputedRef<Palette>
  span: ComputedRef<Span>
  power: ComputedRef<number>
  look: ComputedRef<Look>
  /** Whether the grid shows the difference from another tensor. */
  isDifference: ComputedRef<boolean>
  /** Pixels that a cell needs for its text. */
  textWidth: ComputedRef<number>
}

const numberOrNull = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

export function useGridLook(model: TensorModel): GridLook {
  const { map, clip, notation, signed } = model.state
  const mono = getComputedStyle(document.documentElement).getPropertyValue('--mono') || 'monospace'
  const ink = shallowRef<Ink>(currentInk())
  const isDifference = computed(() => signed.value && model.other.value !== null)
  const statistics = computed(() => model.part.value.value?.statistics ?? model.whole.value.value?.statistics ?? null)
  const largest = computed(() => {
    const numbers = statistics.value
    return numbers ? Math.max(Math.abs(Number(numbers.min ?? 0)), Math.abs(Number(numbers.max ?? 0))) : 1
  })
  const palette = computed<Palette>(() => makePalette(isDifference.value ? 'diverging' : map.value, ink.value))
  const span = computed(() => {
    if (isDifference.value) {
      const most = Number(model.difference.value.value?.max_absolute ?? 0) || 1
      return { low: -most, high: most }
    }
    const { min, max, low, high } = statistics.value ?? {}
    return spanOf(
      { min: numberOrNull(min), max: numberOrNull(max), low: numberOrNull(low), high: numberOrNull(high) },
      map.value,
      clip.value,
    )
  })
  const power = computed(() =>
    notation.value === 'scaled' ? powerOf(Math.max(Math.abs(span.value.low), Math.abs(span.value.high))) : 0,
  )
  const look = computed<Look>(() => ({
    palette: palette.value,
    span: span.value,
    notation: notation.value,
    power: power.value,
    font: ink.value.font.replace(/(\d+px) .*/, `$1 ${mono}`),
  }))
  const dtype = computed(() => (isDifference.value ? 'float64' : (model.whole.value.value?.dtype ?? 'float32')))
  const textWidth = computed(() =>
    Math.max(44, Math.round(cellCharacters(dtype.value, notation.value, largest.value) * 7.25 + 16)),
  )
  return { ink, palette, span, power, look, isDifference, textWidth }
}

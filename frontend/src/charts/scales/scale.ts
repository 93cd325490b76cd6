/**
 * Scales of axes: linear, logarithmic, or symmetric logarithmic. Pure; the server divides pixel columns by the same
 * formulas (`mindinsight/scalars/curves/scales.py`).
 */

export type ScaleKind = 'linear' | 'log' | 'symlog'

export interface Scale {
  kind: ScaleKind
  /** For `symlog`: the size up to which numbers are on a linear scale. */
  linear: number
  /** The position of a number; NaN or infinite if it has none. */
  to(value: number): number
  /** The number at a position. */
  from(place: number): number
}

const same = (value: number): number => value

export const LINEAR: Scale = { kind: 'linear', linear: 1, to: same, from: same }
export const LOG: Scale = {
  kind: 'log',
  linear: 1,
  to: (value) => (value > 0 ? Math.log10(value) : NaN),
  from: (place) => 10 ** place,
}

/** Linear up to `linear`, which is at 1. Each further power of ten takes as much space as the linear part. */
export function symlog(linear: number): Scale {
  return {
    kind: 'symlog',
    linear,
    to(value) {
      const size = Math.abs(value) / linear
      return size <= 1 ? value / linear : Math.sign(value) * (1 + Math.log10(size))
    },
    from(place) {
      const size = Math.abs(place)
      return size <= 1 ? place * linear : Math.sign(place) * linear * 10 ** (size - 1)
    },
  }
}

/** Number of powers of ten that a symmetric logarithmic axis shows before it becomes linear. */
const DECADES = 3

/** The size up to which an axis for numbers of this size is linear. */
export function linearPart(largest: number): number {
  return largest > 0 && Number.isFinite(largest) ? 10 ** (Math.ceil(Math.log10(largest) - 1e-9) - DECADES) : 1
}

export function scaleOf(kind: ScaleKind, linear = 1): Scale {
  return kind === 'log' ? LOG : kind === 'symlog' ? symlog(linear) : LINEAR
}

/** Whether a value has a place on an axis. */
export function drawable(value: number, scale: Scale): boolean {
  return Number.isFinite(value) && (scale.kind !== 'log' || value > 0)
}

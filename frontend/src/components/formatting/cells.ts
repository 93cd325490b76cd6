/** Formats values of columns, and their differences from the baseline. For rows, groups and exports. */
import { useFormat } from './format'
import type { Better, CellValue, Statistics } from '../../data/runs/runTable'

export interface Delta {
  text: string
  /** Whether it is an improvement. Worse and unknown look alike, because red is reserved for faults. */
  better: boolean
}

export function useCells(): {
  text: (value: CellValue) => string
  delta: (value: CellValue | undefined, baseline: CellValue | undefined, better: Better) => Delta | null
  meanAndDeviation: (of: Statistics) => string
} {
  const format = useFormat()
  function text(value: CellValue): string {
    if (value === null) return '–'
    // As in queries, in every language.
    if (typeof value === 'boolean') return String(value)
    return typeof value === 'string' ? value : plainNumber(value)
  }
  /** Parameters were typed by a user: 0.1 stays 0.1. */
  function plainNumber(value: number): string {
    const short = String(value)
    return short.length <= 6 && Number.isFinite(value) && Math.abs(value) < 1e4
      ? short.replace('-', '−')
      : format.number(value)
  }
  return {
    text,
    delta(value, baseline, better) {
      if (typeof value !== 'number' || typeof baseline !== 'number') return null
      const by = value - baseline
      if (!Number.isFinite(by)) return null
      if (by === 0) return { text: '±0', better: false }
      const rounded = Number(Math.abs(by).toPrecision(3))
      // No trailing zeros: the precision of a difference follows from its numbers.
      const size = rounded >= 1e-4 && rounded < 1e3 ? String(rounded) : format.number(rounded)
      return { text: (by > 0 ? '+' : '−') + size, better: better !== null && (better === 'max' ? by > 0 : by < 0) }
    },
    meanAndDeviation({ mean, std }) {
      if (mean === null) return '–'
      return std === null ? format.number(mean) : `${format.number(mean)} ±${String(Number(std.toPrecision(2)))}`
    },
  }
}

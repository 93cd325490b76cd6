/** What a mean step consists of, from the steps of a profile. */
import type { Overview } from '../source'

export const PARTS = ['waiting', 'running', 'rest'] as const
export type Part = (typeof PARTS)[number]
/** Each part has one colour in the bar, its key and the strip of steps. */
export const COLOURS: Record<Part, string> = { waiting: 'var(--err)', running: 'var(--run-1)', rest: 'var(--text-2)' }

export interface MeanStep {
  /** Number of steps in the mean, and of slow first ones that are left out. */
  count: number
  left: number
  /** Nanoseconds: the mean, how much steps differ (standard deviation), and the parts. */
  duration: number
  spread: number
  parts: { part: Part; time: number; share: number }[]
}

export const partsOf = (step: Overview['steps'][number]): Record<Part, number> => ({
  waiting: step.waiting,
  running: step.running,
  rest: Math.max(0, step.duration - step.waiting - step.running),
})

/** The mean of the usual steps; null if there is none. */
export function meanStep({ steps }: Pick<Overview, 'steps'>): MeanStep | null {
  const usual = steps.filter((step) => step.usual)
  if (!usual.length) return null
  const mean = (of: (step: (typeof usual)[number]) => number): number =>
    usual.reduce((sum, step) => sum + of(step), 0) / usual.length
  const duration = mean((step) => step.duration)
  const spread = Math.sqrt(mean((step) => (step.duration - duration) ** 2))
  const parts = PARTS.map((part) => {
    const time = mean((step) => partsOf(step)[part])
    return { part, time, share: duration > 0 ? time / duration : 0 }
  })
  return { count: usual.length, left: steps.length - usual.length, duration, spread, parts }
}

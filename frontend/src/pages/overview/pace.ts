/** The speed of a run and its remaining steps, computed from successive rows. Pure; see ProgressTile.vue. */

/** The step of a run at a point in time. */
export interface Mark {
  /** Time of the newest point, in seconds since 1970. */
  wall: number
  step: number
}

/** The window for the speed and its least length, in seconds. */
const WINDOW = 30
const LEAST = 2

/** Adds a mark and drops those older than the window. If the steps start over, only the new mark is kept. */
export function withMark(marks: readonly Mark[], mark: Mark): Mark[] {
  const last = marks[marks.length - 1] as Mark | undefined
  if (last && (mark.step < last.step || mark.wall < last.wall)) return [mark]
  if (last && mark.wall === last.wall) return [...marks.slice(0, -1), mark]
  return [...marks.filter((one) => mark.wall - one.wall <= WINDOW), mark]
}

/** Steps per second over the marks; null if they cover too little. */
export function speedOf(marks: readonly Mark[]): number | null {
  if (marks.length < 2) return null
  const [first, last] = [marks[0], marks[marks.length - 1]]
  const seconds = last.wall - first.wall
  return seconds >= LEAST && last.step > first.step ? (last.step - first.step) / seconds : null
}

/** Parameter names under which trainings record their number of steps. */
const TOTALS = /^(?:.*\/)?(?:max|total|num|train|training)_?(?:train_?|training_?)?steps$/i

/** The planned number of steps and the parameter that holds it; null if there is none. */
export function totalSteps(params: Readonly<Record<string, unknown>>): { name: string; steps: number } | null {
  for (const [name, value] of Object.entries(params)) {
    if (TOTALS.test(name) && typeof value === 'number' && value > 0) return { name, steps: value }
  }
  return null
}

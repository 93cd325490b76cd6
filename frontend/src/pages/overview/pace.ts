/** How fast a run goes and how much is left of it, from what its rows say over time. Pure; see ProgressTile.vue. */

/** How far a run was at some moment. */
export interface Mark {
  /** Seconds since 1970 of the newest point. */
  wall: number
  step: number
}

/** The speed is that of the last half minute, once so much was seen. */
const WINDOW = 30
const LEAST = 2

/** Adds a mark; what is older than the window is forgotten, and everything where the steps begin again. */
export function withMark(marks: readonly Mark[], mark: Mark): Mark[] {
  const last = marks[marks.length - 1] as Mark | undefined
  if (last && (mark.step < last.step || mark.wall < last.wall)) return [mark]
  if (last && mark.wall === last.wall) return [...marks.slice(0, -1), mark]
  return [...marks.filter((one) => mark.wall - one.wall <= WINDOW), mark]
}

/** Steps per second over the marks, null while they say too little. */
export function speedOf(marks: readonly Mark[]): number | null {
  if (marks.length < 2) return null
  const [first, last] = [marks[0], marks[marks.length - 1]]
  const seconds = last.wall - first.wall
  return seconds >= LEAST && last.step > first.step ? (last.step - first.step) / seconds : null
}

/** Names under which trainings note how many steps there will be. */
const TOTALS = /^(?:.*\/)?(?:max|total|num|train|training)_?(?:train_?|training_?)?steps$/i

/** How many steps the run is to have, and the parameter that says so; null where none does. */
export function totalSteps(params: Readonly<Record<string, unknown>>): { name: string; steps: number } | null {
  for (const [name, value] of Object.entries(params)) {
    if (TOTALS.test(name) && typeof value === 'number' && value > 0) return { name, steps: value }
  }
  return null
}

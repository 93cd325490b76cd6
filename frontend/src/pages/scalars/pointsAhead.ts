/**
 * Prefetches the points of the first card while the page is still being mounted; when the card requests the same
 * points, they are already on their way. Called by the page once its tags are known.
 */
import { useHub } from '../../data/live/hub'
import { drawnAs } from './curves/many'
import { mainTag } from '../../data/series/mainTags'
import type { TagIndex } from './tagIndex'
import type { ViewParams } from './viewParams'

/**
 * Largest share of the window that the first card fills, and the step to which widths are rounded up. Too many points
 * do no harm.
 */
const SHARE = 0.55
const STEP = 100
/** Milliseconds until the card holds the points itself. */
const HELD = 2000

/** The tag of the first card; undefined for a custom chart or if there is no card. */
function firstTag(
  { names: { value: names }, runsOf }: TagIndex,
  { full, pins, filter }: ViewParams,
): string | undefined {
  const wanted = full.value || pins.value?.[0]
  if (wanted) return names.includes(wanted) ? wanted : undefined
  return filter.value.trim() ? undefined : mainTag(names, (tag) => runsOf([tag]).length)
}

/** Prefetches the points of the first card if it draws each run separately. */
export function askAhead(index: TagIndex, params: ViewParams): void {
  const tag = firstTag(index, params)
  if (tag === undefined) return
  const rows = index.settledRowsOf([tag], params.superseded.value === 'show')
  if (params.groupBy.value || drawnAs(params.many.value, index.runsOf([tag]).length) !== 'colour') return
  const width = Math.ceil((window.innerWidth * SHARE * Math.min(2, devicePixelRatio)) / STEP) * STEP
  const { series } = useHub()
  const watches = rows.map((row) => series.watch(row.series, width, () => undefined))
  setTimeout(() => watches.forEach((one) => one.release()), HELD)
}

/**
 * Asks for the points of the card that will stand first while the page is still put up: when the card is there and asks
 * for the same, they are on their way. Called by the page, once its tags are known.
 */
import { useHub } from '../../data/live/hub'
import { drawnAs } from './curves/many'
import { mainTag } from '../../data/series/mainTags'
import type { TagIndex } from './tagIndex'
import type { ViewParams } from './viewParams'

/**
 * The share of the window that the first card fills at most, and steps in which widths are rounded up: more points than
 * needed do.
 */
const SHARE = 0.55
const STEP = 100
/** Milliseconds until the card holds the points itself. */
const HELD = 2000

/** The tag of the first card; undefined where that is a chart of one's own or there is none. */
function firstTag(names: readonly string[], { full, pins, filter }: ViewParams): string | undefined {
  const wanted = full.value || pins.value?.[0]
  if (wanted) return names.includes(wanted) ? wanted : undefined
  return filter.value.trim() ? undefined : mainTag(names)
}

/** Asks for what the first card will draw, where it draws each run by itself. */
export function askAhead(index: TagIndex, params: ViewParams): void {
  const tag = firstTag(index.names.value, params)
  if (tag === undefined) return
  const rows = index.settledRowsOf([tag], params.superseded.value === 'show')
  if (params.groupBy.value || drawnAs(params.many.value, index.runsOf([tag]).length) !== 'colour') return
  const width = Math.ceil((window.innerWidth * SHARE * Math.min(2, devicePixelRatio)) / STEP) * STEP
  const { series } = useHub()
  const watches = rows.map((row) => series.watch(row.series, width, () => undefined))
  setTimeout(() => watches.forEach((one) => one.release()), HELD)
}

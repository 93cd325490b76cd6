/** Downloads every point of some series as one table from the server. Called by the exports. */
import { pageBase } from '../../data/api'
import { axisName } from '../curves/lensViews'
import type { Range } from '../scales/range'
import type { XAxis } from '../view'

/** @param range the range in units of x; null for everything */
export function saveEveryValue(series: readonly number[], x: XAxis, range: Range | null, fileName: string): void {
  const query = new URLSearchParams({ series: [...new Set(series)].join(','), x: axisName(x) })
  if (range) {
    query.set('from', String(range.min))
    query.set('to', String(range.max))
  }
  const link = document.createElement('a')
  link.href = `${pageBase()}/api/scalars/export?${query}`
  link.download = fileName
  link.click()
}

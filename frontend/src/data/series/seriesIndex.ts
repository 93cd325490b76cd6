/**
 * The index of all scalar series, fetched as columns (`GET /api/scalars/series`), because a thousand runs have ten
 * thousand of them. Called by the runs store.
 */
import { answered, api } from '../api'
import type { components } from '../schema'
import type { SeriesRow } from '../types'

export type WireSeriesColumns = components['schemas']['TagColumns']

/** With more runs than this, all are requested: addresses have a maximum length. */
const MOST_NAMED = 500

/** Rows of the columns. Missing values are NaN. */
export function rowsOfColumns(wire: WireSeriesColumns): SeriesRow[] {
  const { names, tag } = wire
  const rows = new Array<SeriesRow>(tag.length)
  for (let at = 0; at < tag.length; at++) {
    rows[at] = {
      run: wire.run[at],
      series: wire.series[at],
      segment: wire.segment[at],
      name: names[tag[at]],
      count: wire.count[at],
      firstStep: wire.first_step[at],
      lastStep: wire.last_step[at],
      firstWall: wire.first_wall[at],
      lastWall: wire.last_wall[at],
      lastValue: wire.last_value[at] ?? NaN,
      min: wire.min[at] ?? NaN,
      max: wire.max[at] ?? NaN,
      notFinite: wire.not_finite[at],
    }
  }
  return rows
}

/** The server's answer and its version; null if it has none. */
export interface SeriesAnswer {
  rows: SeriesRow[]
  version: string | null
}

/** Runs that can be requested before they are known: those that pages show without a selection, or all. */
export type AheadOf = 'standard' | 'all'

async function answerTo(
  query: { runs?: string; standard?: boolean },
  known: string | null,
): Promise<SeriesAnswer | null> {
  const { data, response } = await answered(api.GET('/api/scalars/series', { params: { query }, parseAs: 'text' }))
  const version = response.headers.get('ETag')
  if (version !== null && version === known) return null
  return { rows: rowsOfColumns(JSON.parse(data as unknown as string) as WireSeriesColumns), version }
}

/**
 * Fetches the series of runs that are not known yet. The document preloads the same address, so both must be equal to
 * the letter.
 * @throws ApiProblem
 */
export async function fetchAhead(of: AheadOf): Promise<SeriesAnswer> {
  return (await answerTo(of === 'standard' ? { standard: true } : {}, null)) ?? { rows: [], version: null }
}

/**
 * Fetches the series of runs, or of all runs if there are very many.
 * @param known the held version: the answer is null if nothing changed since, which costs the browser
 *   nothing
 * @throws ApiProblem
 */
export async function fetchSeries(runs: readonly number[], known: string | null = null): Promise<SeriesAnswer | null> {
  return answerTo(runs.length > MOST_NAMED ? {} : { runs: runs.join(',') }, known)
}

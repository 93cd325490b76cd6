/** Converts a fake server's list of tags to the columns of `GET /api/scalars/series`. For tests only. */
import type { WireTagsAnswer } from '../rows'
import type { WireSeriesColumns } from '../series/seriesIndex'

const finite = (value: unknown): number | null =>
  Number.isFinite(Number(value)) && value !== null ? Number(value) : null

export function seriesColumns({ tags }: WireTagsAnswer): WireSeriesColumns {
  const names = tags.map(({ name }) => name).sort()
  const rows = tags.flatMap(({ name, series }) => series.map((one) => ({ ...one, tag: names.indexOf(name) })))
  return {
    names,
    tag: rows.map(({ tag }) => tag),
    run: rows.map(({ run }) => run),
    series: rows.map(({ series }) => series),
    segment: rows.map(({ segment }) => segment),
    count: rows.map(({ count }) => count),
    first_step: rows.map((row) => row.first_step),
    last_step: rows.map((row) => row.last_step),
    first_wall: rows.map((row) => row.first_wall),
    last_wall: rows.map((row) => row.last_wall),
    last_value: rows.map((row) => finite(row.last_value)),
    min: rows.map(({ min }) => finite(min)),
    max: rows.map(({ max }) => finite(max)),
    not_finite: rows.map((row) => row.not_finite),
  }
}

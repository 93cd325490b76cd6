/**
 * A source of the tensor view for recorded tensors, and for other tensors that the server provides in the same form
 * under another address. Made by the tensors page for the tensor at the step cursor, and by the debugger's page.
 */
import { api, ask, pageBase } from '../data/api'
import type { TensorSource } from './source'

/** Key of a recorded tensor in comparisons. */
export const recordedName = (series: number, index: number): string => `${series}/${index}`

function otherQuery(other: string | null): { other_series: number; other_index: number } | object {
  if (other === null) return {}
  const [series, index] = other.split('/').map(Number)
  return { other_series: series, other_index: index }
}

/**
 * @param store id of the store that the numbers belong to
 * @param below prefix of the addresses of statistics, tiles and the rest
 */
export function recordedTensor(store: string, series: number, index: number, below = '/api/tensors'): TensorSource {
  const tensor = { store, series, index }
  const path = <const P extends string>(what: P) => `${below}/${what}` as `/api/tensors/${P}`
  return {
    key: `${store}/${series}/${index}`,
    statistics: (slice, signal) =>
      ask(api.GET(path('statistics'), { params: { query: { ...tensor, slice } }, signal })),
    tile: ({ other, ...rest }, signal) =>
      ask(
        api.GET(path('tile'), {
          params: { query: { ...tensor, ...rest, ...otherQuery(other) } },
          parseAs: 'arrayBuffer',
          signal,
        }),
      ),
    find: ({ other, tolerance, ...rest }, signal) =>
      ask(
        api.GET(path('find'), {
          params: { query: { ...tensor, ...rest, ...tolerance, ...otherQuery(other) } },
          signal,
        }),
      ),
    difference(slice, other, tolerance, signal) {
      const [other_series, other_index] = other.split('/').map(Number)
      return ask(
        api.GET(path('difference'), {
          params: { query: { ...tensor, slice, ...tolerance, other_series, other_index } },
          signal,
        }),
      )
    },
    fileAddress(slice, format) {
      const query = new URLSearchParams({ store, series: String(series), index: String(index), slice, format })
      return `${pageBase()}${below}/file?${query}`
    },
  }
}

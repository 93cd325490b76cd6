/** Loaded data about the images of the visible runs. Made by the page; passed to its parts. */
import type { InjectionKey } from 'vue'

import { api, ask } from '../../data/api'
import type { components } from '../../data/schema'
import { ApiProblem } from '../../data/types'
import { useRecorded, type RecordedLibrary } from '../../recorded/library'

export type ImageRow = components['schemas']['Image']

export interface Library extends RecordedLibrary {
  /** The server's record of one image, or the reason why it cannot be shown. */
  describe(series: number, index: number): Promise<ImageRow>
}

export const LIBRARY: InjectionKey<Library> = Symbol('images')

async function describe(series: number, index: number): Promise<ImageRow> {
  const query = { series, first: index, end: index + 1 }
  const { images } = await ask(api.GET('/api/images/list', { params: { query } }))
  if (!images[0]) throw new ApiProblem('unknown_series', `There is no image ${index}.`, { series }, 404)
  return images[0]
}

export function useLibrary(): Library {
  return { ...useRecorded('images'), describe }
}

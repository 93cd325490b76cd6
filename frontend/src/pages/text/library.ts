/** Loaded data about the texts of the visible runs, with a cache of texts. Made by the page; passed to its parts. */
import type { InjectionKey } from 'vue'

import { api, ask } from '../../data/api'
import type { components } from '../../data/schema'
import { ApiProblem } from '../../data/types'
import { useRecorded, type RecordedLibrary } from '../../recorded/library'
import type { Entry } from '../../recorded/timeline'

export type TextRow = components['schemas']['Text']
export type Hit = components['schemas']['TextHit']

export interface Library extends RecordedLibrary {
  /** One text, up to a number of characters. */
  read(entry: Entry, characters: number): Promise<TextRow>
}

export const LIBRARY: InjectionKey<Library> = Symbol('texts')

/** Characters fetched for a card. */
export const CARD_CHARACTERS = 3000
/** Characters fetched for the panel, until the whole text is requested. */
export const PANEL_CHARACTERS = 20_000
export const ALL_CHARACTERS = 1 << 26

/** Number of cached texts; the oldest are dropped, and long ones are not cached. */
const KEPT = 300

/** A cache of texts. */
function useTexts() {
  const kept = new Map<string, Promise<TextRow>>()

  function read({ series, index }: Entry, characters: number): Promise<TextRow> {
    const key = `${series}/${index}/${characters}`
    const known = kept.get(key)
    if (known) return known
    const query = { series, first: index, end: index + 1, characters }
    const coming = ask(api.GET('/api/text/list', { params: { query } })).then(({ texts }) => {
      if (!texts[0]) throw new ApiProblem('unknown_series', `There is no text ${index}.`, { series }, 404)
      // A text that could not be read may be available the next time.
      if (texts[0].error) kept.delete(key)
      return texts[0]
    })
    coming.catch(() => kept.delete(key))
    if (characters > PANEL_CHARACTERS) return coming
    kept.set(key, coming)
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT) break
      kept.delete(oldest)
    }
    return coming
  }
  return { read, forget: () => kept.clear() }
}

export function useLibrary(): Library {
  const { read, forget } = useTexts()
  return { ...useRecorded('text', forget), read }
}

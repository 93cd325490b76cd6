/** What is known of the texts of the visible runs, and the texts read last. Made by the page; given to its parts. */
import type { InjectionKey } from 'vue'

import { api, ask } from '../../data/api'
import type { components } from '../../data/schema'
import { ApiProblem } from '../../data/types'
import { useRecorded, type RecordedLibrary } from '../../recorded/library'
import type { Entry } from '../../recorded/timeline'

export type TextRow = components['schemas']['Text']
export type Hit = components['schemas']['TextHit']

export interface Library extends RecordedLibrary {
  /** One text, so many characters of it. */
  read(entry: Entry, characters: number): Promise<TextRow>
}

export const LIBRARY: InjectionKey<Library> = Symbol('texts')

/** So much of a text is fetched for a card. */
export const CARD_CHARACTERS = 3000
/** So much for the panel, until all is wanted. */
export const PANEL_CHARACTERS = 20_000
export const ALL_CHARACTERS = 1 << 26

/** Texts read last; the oldest go first, and long ones are not kept. */
const KEPT = 300

/** Keeps texts that were read. */
function useTexts() {
  const kept = new Map<string, Promise<TextRow>>()

  function read({ series, index }: Entry, characters: number): Promise<TextRow> {
    const key = `${series}/${index}/${characters}`
    const known = kept.get(key)
    if (known) return known
    const query = { series, first: index, end: index + 1, characters }
    const coming = ask(api.GET('/api/text/list', { params: { query } })).then(({ texts }) => {
      if (!texts[0]) throw new ApiProblem('unknown_series', `There is no text ${index}.`, { series }, 404)
      // What could not be read may be back the next time.
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

/** The commands that were used last, newest first, kept in this browser. Called by the command palette. */
import type { Ref } from 'vue'

import { storedJson } from '../../scaffold/stored'

const MOST = 8
const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

export interface Recent {
  ids: Ref<string[]>
  use: (id: string) => void
}

export function useRecent(): Recent {
  const ids = storedJson('palette', isList, [])
  return { ids, use: (id) => void (ids.value = [id, ...ids.value.filter((one) => one !== id)].slice(0, MOST)) }
}

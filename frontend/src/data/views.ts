/**
 * Saved views: named addresses of pages, for everybody who opens the dashboard.
 */
import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

import { api, ask, pageBase, tell } from './api'
import type { components } from './schema'
import type { ApiProblem } from './types'

export type SavedView = components['schemas']['SavedView']

/** The address of a view. */
export type ViewAddress = Pick<SavedView, 'page' | 'query'>

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare

export const useSavedViews = defineStore('savedViews', () => {
  const views = shallowRef<readonly SavedView[]>([])
  const loaded = ref(false)
  const error = shallowRef<ApiProblem | null>(null)

  const put = (changed: SavedView): void => {
    const others = views.value.filter(({ id }) => id !== changed.id)
    views.value = [...others, changed].sort((a, b) => byName(a.name, b.name))
  }

  async function load(): Promise<void> {
    try {
      const answer = await ask(api.GET('/api/views'))
      views.value = [...answer.views].sort((a, b) => byName(a.name, b.name))
      loaded.value = true
      error.value = null
    } catch (problem) {
      error.value = problem as ApiProblem
    }
  }

  /** @throws ApiProblem if the name is taken or invalid */
  async function save(name: string, address: ViewAddress): Promise<SavedView> {
    const made = await ask(api.POST('/api/views', { body: { name, ...address } }))
    put(made)
    return made
  }

  /** @throws ApiProblem if the name is taken or the view does not exist */
  async function change(
    { id }: SavedView,
    changes: Partial<Pick<SavedView, 'name' | 'page' | 'query'>>,
  ): Promise<void> {
    put(await ask(api.PATCH('/api/views/{key}', { params: { path: { key: id } }, body: changes })))
  }

  /** @throws ApiProblem if it does not exist any more */
  async function remove({ id }: SavedView): Promise<void> {
    await tell(api.DELETE('/api/views/{key}', { params: { path: { key: id } } }))
    views.value = views.value.filter((one) => one.id !== id)
  }

  return { views, loaded, error, load, save, change, remove }
})

/** The short link of a view, which can be read aloud. */
export const shortLink = ({ id }: SavedView): string => `${pageBase()}/v/${id}`

/** Loads recorded images in the browser. Called wherever one is shown. */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { pageBase } from '../data/api'
import type { Entry } from './timeline'

/** A recorded image with its picture, ready to be drawn. */
export interface Loaded {
  entry: Entry
  number: number
  url: string
  image: HTMLImageElement
}

/** The address of a picture; with the store's id the browser may cache it for ever. */
export function pictureUrl(store: string, { series, index }: Entry, number: number): string {
  const query = new URLSearchParams({ series: String(series), index: String(index), number: String(number), store })
  return `${pageBase()}/api/images/file?${query}`
}

/** Loads a picture; rejects if it cannot be shown. */
export async function loadPicture(url: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.decoding = 'async'
  image.src = url
  await image.decode()
  return image
}

export interface PictureState {
  /** The picture to draw; the previous one stays, with its own step, until the next has arrived. */
  loaded: ShallowRef<Loaded | null>
  /** The entry whose picture cannot be shown. */
  failed: ShallowRef<Entry | null>
}

/** Loads the current picture; of several pending requests only the last counts. */
export function usePicture(wanted: () => { store: string; entry: Entry | null; number: number }): PictureState {
  const loaded = shallowRef<Loaded | null>(null)
  const failed = shallowRef<Entry | null>(null)
  let turn = 0
  watch(
    wanted,
    async ({ store, entry, number }, before) => {
      const url = entry && pictureUrl(store, entry, number)
      if (before?.entry && entry && url === pictureUrl(before.store, before.entry, before.number)) return
      const mine = ++turn
      if (!entry || !url) {
        loaded.value = failed.value = null
        return
      }
      try {
        const image = await loadPicture(url)
        if (mine !== turn) return
        loaded.value = { entry, number, url, image }
        failed.value = null
      } catch {
        if (mine !== turn) return
        loaded.value = null
        failed.value = entry
      }
    },
    { immediate: true },
  )
  onScopeDispose(() => turn++)
  return { loaded, failed }
}

/** Prefetches pictures, so that playing does not wait; the browser caches them. */
export function prefetch(urls: readonly string[]): void {
  for (const url of urls) {
    const image = new Image()
    image.decoding = 'async'
    image.src = url
  }
}

/** Pictures of the API as the browser loads them, and single pixels of them. Called by cells and the comparison. */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { pageBase } from '../../data/api'
import type { Entry } from '../../recorded/timeline'
import { greyOf } from './difference'

/** A recorded image with its picture, ready to be drawn. */
export interface Loaded {
  entry: Entry
  number: number
  url: string
  image: HTMLImageElement
}

/** The address of a picture; with the store's name the browser may keep it for ever. */
export function pictureUrl(store: string, { series, index }: Entry, number: number): string {
  const query = new URLSearchParams({ series: String(series), index: String(index), number: String(number), store })
  return `${pageBase()}/api/images/file?${query}`
}

/** Loads a picture; rejects where it cannot be shown. */
export async function loadPicture(url: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.decoding = 'async'
  image.src = url
  await image.decode()
  return image
}

export interface PictureState {
  /** What can be drawn: the one before stays until the next is there, with its own step. */
  loaded: ShallowRef<Loaded | null>
  /** The entry whose picture cannot be shown. */
  failed: ShallowRef<Entry | null>
}

/** Follows what is wanted; of several on their way only the last counts. */
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

let probe: CanvasRenderingContext2D | null = null

/** Red, green, blue and opacity of one pixel, 0 to 255; null where the browser has no canvas. */
export function valueAt(image: HTMLImageElement, x: number, y: number): readonly number[] | null {
  probe ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  })
  if (!probe) return null
  probe.clearRect(0, 0, 1, 1)
  probe.drawImage(image, x, y, 1, 1, 0, 0, 1, 1)
  return [...probe.getImageData(0, 0, 1, 1).data]
}

/** All pixels of a picture. */
export function pixelsOf(image: HTMLImageElement): ImageData | null {
  const canvas = Object.assign(document.createElement('canvas'), {
    width: image.naturalWidth,
    height: image.naturalHeight,
  })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) return null
  context.drawImage(image, 0, 0)
  return context.getImageData(0, 0, canvas.width, canvas.height)
}

/** The pixels of a part of a picture: red, green, blue and opacity of each, row by row. */
export function regionOf(
  image: HTMLImageElement,
  x: number,
  y: number,
  width: number,
  height: number,
): Uint8ClampedArray | null {
  const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', {
    willReadFrequently: true,
  })
  if (!context || !width || !height) return null
  context.drawImage(image, x, y, width, height, 0, 0, width, height)
  return context.getImageData(0, 0, width, height).data
}

const PROBED = 64
const greys = new WeakMap<HTMLImageElement, boolean>()

/** Whether a picture has no colours; looked at in a smaller copy, where mixing greys gives greys. */
export function isGrey(image: HTMLImageElement): boolean {
  const known = greys.get(image)
  if (known !== undefined) return known
  const context = Object.assign(document.createElement('canvas'), { width: PROBED, height: PROBED }).getContext('2d', {
    willReadFrequently: true,
  })
  context?.drawImage(image, 0, 0, PROBED, PROBED)
  const found = context ? greyOf(context.getImageData(0, 0, PROBED, PROBED).data) : false
  greys.set(image, found)
  return found
}

/** Fetches pictures before they are wanted, so that playing does not wait; the browser keeps them. */
export function prefetch(urls: readonly string[]): void {
  for (const url of urls) {
    const image = new Image()
    image.decoding = 'async'
    image.src = url
  }
}

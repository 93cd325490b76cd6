/**
 * The browser's one live connection and one series store, made on first use and shared by all pinia stores.
 * Tests replace them by `setHub`.
 */
import { pageBase } from '../api'
import { socketUrl } from './lastingSocket'
import { LiveConnection, type LiveHandlers } from './live'
import { SeriesStore } from '../series/seriesStore'

export interface Hub {
  live: LiveConnection
  series: SeriesStore
  /** Adds listeners to the live connection. Returns the function that removes them. */
  listen(handlers: LiveHandlers): () => void
}

let hub: Hub | null = null

const liveUrl = (): string => socketUrl(pageBase(), '/ws/live')

/** Calls the handler with this name of every listener, the series store's first. */
function fanOut(listeners: Set<LiveHandlers>): LiveHandlers {
  return {
    state: (state) => listeners.forEach((one) => one.state?.(state)),
    frames: (frames) => listeners.forEach((one) => one.frames?.(frames)),
    runs: (message) => listeners.forEach((one) => one.runs?.(message)),
    refetch: (series) => listeners.forEach((one) => one.refetch?.(series)),
    removed: (series) => listeners.forEach((one) => one.removed?.(series)),
    health: (message) => listeners.forEach((one) => one.health?.(message)),
    storeChanged: (store) => listeners.forEach((one) => one.storeChanged?.(store)),
    heard: () => listeners.forEach((one) => one.heard?.()),
    trouble: (message) => listeners.forEach((one) => one.trouble?.(message)),
  }
}

export function createHub(url: string, socket?: (url: string) => WebSocket): Hub {
  const listeners = new Set<LiveHandlers>()
  const live = new LiveConnection({ url, handlers: fanOut(listeners), ...(socket ? { socket } : {}) })
  const series = new SeriesStore(live)
  listeners.add({
    state: ({ phase }) => {
      if (phase === 'open') series.retry()
    },
    frames: (frames) => series.receive(frames),
    refetch: (numbers) => series.refetch(numbers),
    removed: (numbers) => series.remove(numbers),
    storeChanged: () => series.restart(),
  })
  return {
    live,
    series,
    listen(handlers) {
      listeners.add(handlers)
      return () => listeners.delete(handlers)
    },
  }
}

export function useHub(): Hub {
  hub ??= createHub(liveUrl())
  return hub
}

/** Replaces the hub (in tests), or removes it. */
export function setHub(other: Hub | null): void {
  hub?.live.close()
  hub = other
}

/**
 * Fetches tiles: visible ones first, a few at a time, and none that have left the view. Caches the last ones. Used by
 * the grid.
 */
import { ApiProblem } from '../../data/types'
import { decodeTile, type Tile } from '../tiles'
import type { TileAt } from './viewport'

/** Number of cached tiles; 128 x 128 blocks of float32 make about 50 MB. */
const KEPT = 128
const AT_ONCE = 4

export const tileKey = ({ level, row, column }: TileAt): string => `${level}/${row}/${column}`

export class TileStore {
  private readonly tiles = new Map<string, Tile>()
  private readonly running = new Map<string, AbortController>()
  private wanted: readonly TileAt[] = []
  private failure: ApiProblem | null = null
  private ended = false

  /**
   * @param load fetches a tile
   * @param changed called when there is a new tile or a failure
   */
  constructor(
    private readonly load: (at: TileAt, signal: AbortSignal) => Promise<ArrayBuffer>,
    private readonly changed: () => void,
  ) {}

  /** Why a tile is missing; `retry` clears it. */
  get problem(): ApiProblem | null {
    return this.failure
  }

  get busy(): boolean {
    return this.running.size > 0
  }

  get(at: TileAt): Tile | undefined {
    return this.tiles.get(tileKey(at))
  }

  /** Sets the needed tiles, most important first; all other requests are cancelled. */
  want(tiles: readonly TileAt[]): void {
    const keys = new Set(tiles.map(tileKey))
    for (const [key, controller] of this.running) if (!keys.has(key)) controller.abort()
    for (const key of keys) this.touch(key)
    this.wanted = tiles
    this.start()
  }

  retry(): void {
    this.failure = null
    this.start()
  }

  end(): void {
    this.ended = true
    this.running.forEach((controller) => controller.abort())
    this.tiles.clear()
  }

  private touch(key: string): void {
    const tile = this.tiles.get(key)
    if (!tile) return
    this.tiles.delete(key)
    this.tiles.set(key, tile)
  }

  private start(): void {
    for (const at of this.wanted) {
      if (this.ended || this.failure || this.running.size >= AT_ONCE) return
      const key = tileKey(at)
      if (!this.tiles.has(key) && !this.running.has(key)) void this.fetch(at, key)
    }
  }

  private async fetch(at: TileAt, key: string): Promise<void> {
    const controller = new AbortController()
    this.running.set(key, controller)
    try {
      const tile = decodeTile(await this.load(at, controller.signal))
      if (this.ended) return
      this.tiles.set(key, tile)
      this.forget()
    } catch (error) {
      if (controller.signal.aborted || this.ended) return
      this.failure =
        error instanceof ApiProblem ? error : new ApiProblem('unexpected_answer', String(error), { status: 200 }, 200)
    } finally {
      this.running.delete(key)
      if (!this.ended) {
        this.start()
        this.changed()
      }
    }
  }

  private forget(): void {
    for (const oldest of this.tiles.keys()) {
      if (this.tiles.size <= KEPT) return
      this.tiles.delete(oldest)
    }
  }
}

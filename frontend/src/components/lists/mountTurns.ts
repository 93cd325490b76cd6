/**
 * Cards that become visible are mounted in turn: each frame mounts as many as it has time for, and none while the user
 * scrolls too fast to see them. Provided by CardGrid.vue, used by LateCard.vue.
 */
import { inject, nextTick, onBeforeUnmount, provide, type InjectionKey } from 'vue'

import { letGo } from '../../data/firstView'

/** A waiting card, with its position in pixels below the top of all rows. */
export interface Waiting {
  top: number
  height: number
  /** Mounts it by a state change. */
  mount(): void
}

/** The visible range in pixels below the top of all rows. */
export interface InView {
  top: number
  height: number
}

/** Milliseconds of a frame for mounting. The rest is for drawing. */
const BUDGET = 7
/** Cards that would be visible for fewer milliseconds than this are not mounted. */
const GLANCE = 250
/** The first card has this many milliseconds to show something before the others are mounted. */
const HEAD_START = 300

export class MountTurns {
  private readonly waiting = new Set<Waiting>()
  private frame = 0
  private before = { top: 0, at: -Infinity }
  private heldUntil: number | null = null

  constructor(private readonly view: () => InView) {}

  /** Waits for a turn. Returns the function that cancels it. */
  wait(one: Waiting): () => void {
    this.waiting.add(one)
    this.schedule()
    return () => this.waiting.delete(one)
  }

  /** Whether a card is the first one, which is mounted with the page and not a frame later. */
  first(): boolean {
    const first = this.heldUntil === null
    this.heldUntil ??= performance.now() + HEAD_START
    return first
  }

  /** A card shows its content: work that was held back for it continues. */
  shown(): void {
    this.heldUntil = -Infinity
    letGo()
  }

  stop(): void {
    cancelAnimationFrame(this.frame)
    this.waiting.clear()
  }

  private schedule(): void {
    this.frame ||= requestAnimationFrame((now) => void this.run(now))
  }

  private async run(now: number): Promise<void> {
    const view = this.view()
    const flying = this.flies(view, now)
    const until = performance.now() + BUDGET
    while (
      !flying &&
      this.waiting.size &&
      performance.now() < until &&
      performance.now() >= (this.heldUntil ?? -Infinity)
    ) {
      const next = this.next(view)
      this.waiting.delete(next)
      next.mount()
      await nextTick()
      letGo()
    }
    this.frame = 0
    if (this.waiting.size) this.schedule()
  }

  /** The first visible one, or the one nearest to the visible range. */
  private next(view: InView): Waiting {
    let [best] = this.waiting
    let least = Infinity
    for (const one of this.waiting) {
      const distance = Math.max(0, one.top - view.top - view.height, view.top - one.top - one.height)
      if (distance >= least) continue
      least = distance
      best = one
    }
    return best
  }

  private flies({ top, height }: InView, now: number): boolean {
    const moved = Math.abs(top - this.before.top)
    const passed = now - this.before.at
    this.before = { top, at: now }
    return passed > 0 && moved / passed > height / GLANCE
  }
}

const KEY: InjectionKey<MountTurns> = Symbol('turns')

/** Provides turns to the cards below the calling component. */
export function provideTurns(view: () => InView): void {
  const turns = new MountTurns(view)
  provide(KEY, turns)
  onBeforeUnmount(() => turns.stop())
}

/** The turns of the grid around the calling component; null outside a grid. */
export function useTurns(): MountTurns | null {
  return inject(KEY, null)
}

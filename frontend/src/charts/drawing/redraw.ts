/**
 * Schedules drawings of charts: at most once per animation frame and chart, only after changes, only in view, and only
 * as many per frame as it has time for. The rest follow in the next frame.
 */

export interface Drawable {
  readonly host: Element
  draw(): void
}

/**
 * Milliseconds of a frame for drawing. The browser needs the same time again at the end of the frame to fill the
 * canvases. Charts that were drawn before cost less there, and more of them share the fixed cost of a frame, so points
 * of many trainings appear sooner.
 */
const FRAME_BUDGET = 7
const AGAIN_BUDGET = 13

export class Redraw {
  private readonly dirty = new Set<Drawable>()
  private readonly visible = new WeakMap<Element, boolean>()
  private readonly waiting = new Map<Element, Drawable>()
  private readonly drawn = new WeakSet<Drawable>()
  private readonly observer: IntersectionObserver
  private frame = 0

  constructor() {
    this.observer = new IntersectionObserver((entries) => entries.forEach((entry) => this.seen(entry)), {
      rootMargin: '120px',
    })
  }

  /** Starts to watch whether a chart is in view. */
  add(chart: Drawable): void {
    this.observer.observe(chart.host)
  }

  remove(chart: Drawable): void {
    this.observer.unobserve(chart.host)
    this.waiting.delete(chart.host)
    this.dirty.delete(chart)
  }

  /** Draws the chart in the next frame, or when it comes into view. */
  request(chart: Drawable): void {
    if (this.visible.get(chart.host) !== true) {
      this.waiting.set(chart.host, chart)
      return
    }
    this.dirty.add(chart)
    this.schedule()
  }

  private seen(entry: IntersectionObserverEntry): void {
    this.visible.set(entry.target, entry.isIntersecting)
    const chart = this.waiting.get(entry.target)
    if (!entry.isIntersecting || !chart) return
    this.waiting.delete(entry.target)
    this.request(chart)
  }

  private schedule(): void {
    this.frame ||= requestAnimationFrame(() => this.run())
  }

  private run(): void {
    this.frame = 0
    const began = performance.now()
    let budget = AGAIN_BUDGET
    for (const chart of this.dirty) {
      this.dirty.delete(chart)
      if (!this.drawn.has(chart)) budget = FRAME_BUDGET
      this.drawn.add(chart)
      chart.draw()
      if (performance.now() > began + budget) break
    }
    if (this.dirty.size) this.schedule()
  }
}

let shared: Redraw | null = null

/** The scheduler of all charts of the page. */
export function useRedraw(): Redraw {
  shared ??= new Redraw()
  return shared
}

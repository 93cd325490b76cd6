/**
 * Paints the two canvases: the drawing, and the overlay that changes with pointer and keys. A small drawing is painted
 * in every frame. A large one is painted with a margin, and only moved and scaled while it covers the view, so that
 * panning stays smooth without a graphics card. Made by GraphCanvas.vue.
 */
import { NOTHING, type Drawing } from '../scene/drawing'
import { paintGround } from './ground'
import type { Look, Pen } from './look'
import { MOTION, poseBetween } from './motion'
import { hasOver, paint, paintOver } from './paint'
import { Surface } from './surface'
import { fitAll, windowOf, type Size, type View } from './view'

/** With more visible boxes and edges than this, the drawing is not painted in every frame. */
const MANY = 350
/** The same if painting takes longer than this, in ms. */
const MOST_TIME = 9
/** The margin of a large drawing, as a share of the view. */
const OVER = 0.3
/**
 * Milliseconds after the last movement until a large drawing is painted sharply, and minimum interval during movements.
 */
const REST = 90
const LEAST_REST = 120

export type LookWithout = Omit<Look, 'zoom' | 'window'>

/** A world position in pixels at a zoom. */
type Corner = View

export class Stage {
  view: View = { x: 0, y: 0, zoom: 1 }
  size: Size = { width: 0, height: 0 }
  drawing: Drawing = NOTHING
  private motion: { from: Drawing; shift: { dx: number; dy: number }; start: number } | null = null
  private painted: { view: View; over: Size } | null = null
  private stale = true
  private staleOver = true
  private readonly main: Surface
  private readonly over: Surface
  private frame = 0
  private timer = 0
  private lastPaint = 0
  /**
   * Approximate time of painting in ms. If it is too long for every frame, the drawing counts as large.
   */
  private pace = 0
  private slow = false
  /** Time of the last drawing of a moving part. */
  private lastMoved = 0
  private flight: { from: View; to: View; start: number } | null = null

  /**
   * @param canvas the canvas of the drawing
   * @param over the overlay's canvas
   * @param look the appearance, without the parts that the stage knows
   * @param changed called after every frame with the view, and whether everything is at rest
   */
  constructor(
    canvas: HTMLCanvasElement,
    over: HTMLCanvasElement,
    private readonly look: () => LookWithout,
    private readonly changed: (resting: boolean) => void,
  ) {
    this.main = new Surface(canvas, false)
    this.over = new Surface(over, true)
  }

  get resting(): boolean {
    return !this.frame && !this.timer && !this.stale && !this.staleOver && !this.motion && !this.flight
  }

  resize(size: Size): void {
    this.size = size
    this.request()
  }

  /** Shows another drawing; `shift` is how far fixed parts have moved in the world. */
  show(drawing: Drawing, shift: { dx: number; dy: number }, animated: boolean): void {
    const few = drawing.boxes.length <= MOTION.boxes && this.drawing.boxes.length > 0
    const start = performance.now()
    this.motion = animated && few ? { from: this.pose(start), shift, start } : null
    this.lastMoved = start
    this.drawing = drawing
    this.slow = false
    this.pace = 0
    this.view = { ...this.view, x: this.view.x + shift.dx, y: this.view.y + shift.dy }
    if (this.flight)
      this.flight = {
        ...this.flight,
        from: this.view,
        to: { ...this.flight.to, x: this.flight.to.x + shift.dx, y: this.flight.to.y + shift.dy },
      }
    this.request()
  }

  /** Moves the view, at once or with a short animation. */
  lookAt(view: View, animated = false): void {
    const start = performance.now()
    const far = view.x !== this.view.x || view.y !== this.view.y || view.zoom !== this.view.zoom
    this.flight = animated && far ? { from: this.view, to: view, start } : null
    if (this.flight && !this.motion) this.lastMoved = start
    if (!animated) this.view = view
    this.schedule()
  }

  /** The view that shows everything. */
  whole(): View {
    return fitAll({ x: 0, y: 0, width: this.drawing.width, height: this.drawing.height }, this.drawing.boxes, this.size)
  }

  fit(animated = false): void {
    this.lookAt(this.whole(), animated)
  }

  /** Paints again in the next frame. */
  request(): void {
    this.stale = true
    this.schedule()
  }

  /** Paints the overlay again in the next frame. */
  requestOver(): void {
    this.staleOver = true
    this.schedule()
  }

  end(): void {
    cancelAnimationFrame(this.frame)
    window.clearTimeout(this.timer)
  }

  private schedule(): void {
    this.frame ||= requestAnimationFrame((now) => this.run(now))
  }

  private run(now: number): void {
    this.frame = 0
    const interval = now - this.lastMoved
    const isSlow = interval > MOTION.frame
    this.lastMoved = now
    /** Whether a change that began at a moment is over. Changes smaller than a frame are not waited for. */
    const isOver = (start: number): boolean => isSlow || now - start >= MOTION.time - interval / 2
    if (this.flight) {
      const share = isOver(this.flight.start) ? 1 : (now - this.flight.start) / MOTION.time
      const { from, to } = this.flight
      const t = 1 - (1 - share) ** 3
      this.view =
        share >= 1
          ? to
          : {
              x: from.x + (to.x - from.x) * t,
              y: from.y + (to.y - from.y) * t,
              zoom: from.zoom * (to.zoom / from.zoom) ** t,
            }
      if (share >= 1) this.flight = null
    }
    if (this.motion && isOver(this.motion.start)) {
      this.motion = null
      this.stale = true
    }
    this.update(now)
    if (this.motion || this.flight) this.schedule()
    this.changed(this.resting)
  }

  /** Paints, or moves what is painted. */
  private update(now: number): void {
    if (!this.size.width || !this.size.height) {
      this.stale = this.staleOver = false
      return
    }
    const many = this.slow || this.drawing.boxes.length + this.drawing.edges.length > MANY
    if (!this.hasMoved() && !this.stale && !this.motion) {
      if (this.staleOver) this.paintOver(now)
      return
    }
    if (!many || this.stale || this.motion || !this.painted) {
      this.paint(now, many)
      return
    }
    window.clearTimeout(this.timer)
    this.timer = 0
    if (!this.covers() && now - this.lastPaint > LEAST_REST) {
      this.paint(now, many)
      return
    }
    this.place()
    this.timer = window.setTimeout(() => {
      this.timer = 0
      this.request()
    }, REST)
  }

  /** Whether the view differs from the painted one. */
  private hasMoved(): boolean {
    const { painted, view } = this
    return !painted || painted.view.x !== view.x || painted.view.y !== view.y || painted.view.zoom !== view.zoom
  }

  private pose(now: number): Drawing {
    return this.motion
      ? poseBetween(
          this.motion.from,
          this.drawing,
          this.motion.shift,
          Math.min(1, (now - this.motion.start) / MOTION.time),
        )
      : this.drawing
  }

  private paint(now: number, many: boolean): void {
    this.stale = false
    window.clearTimeout(this.timer)
    this.timer = 0
    const over = many
      ? { width: Math.round(this.size.width * OVER), height: Math.round(this.size.height * OVER) }
      : { width: 0, height: 0 }
    this.painted = { view: this.view, over }
    const start = performance.now()
    this.draw(this.main, now, (pen, drawing, look, corner, ratio) => {
      pen.setTransform(1, 0, 0, 1, 0, 0)
      paintGround(pen, look.ink, this.view, ratio, pen.canvas.width, pen.canvas.height, corner.x, corner.y)
      this.toWorld(pen, corner, ratio)
      paint(pen, drawing, look)
    })
    this.paintOver(now)
    this.place()
    this.lastPaint = performance.now()
    this.pace = 0.7 * this.pace + 0.3 * (this.lastPaint - start)
    this.slow ||= this.pace > MOST_TIME
  }

  /** Paints the overlay. */
  private paintOver(now: number): void {
    this.staleOver = false
    this.draw(this.over, now, (pen, drawing, look, corner, ratio) => {
      this.over.show(hasOver(look))
      if (!hasOver(look)) return
      pen.setTransform(1, 0, 0, 1, 0, 0)
      pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height)
      this.toWorld(pen, corner, ratio)
      paintOver(pen, drawing, look)
    })
  }

  /** @param work gets the position of the surface's corner, in world pixels at the painted zoom */
  private draw(
    surface: Surface,
    now: number,
    work: (pen: Pen, drawing: Drawing, look: Look, corner: Corner, ratio: number) => void,
  ): void {
    if (!this.painted) return
    const { view, over } = this.painted
    const ratio = window.devicePixelRatio || 1
    const [width, height] = [this.size.width + 2 * over.width, this.size.height + 2 * over.height]
    const pen = surface.pen(width, height, ratio)
    if (!pen) return
    const corner = { x: view.x * view.zoom - over.width, y: view.y * view.zoom - over.height, zoom: view.zoom }
    const seen = windowOf({ x: corner.x / view.zoom, y: corner.y / view.zoom, zoom: view.zoom }, { width, height })
    work(pen, this.pose(now), { ...this.look(), zoom: view.zoom, window: seen }, corner, ratio)
  }

  private toWorld(pen: Pen, { x, y, zoom }: Corner, ratio: number): void {
    pen.setTransform(zoom * ratio, 0, 0, zoom * ratio, -x * ratio, -y * ratio)
  }

  /** Whether the painted part covers the view and is not enlarged too much. */
  private covers(): boolean {
    if (!this.painted) return false
    const { view: at, over } = this.painted
    const [left, top] = [at.x - over.width / at.zoom, at.y - over.height / at.zoom]
    const [right, bottom] = [
      at.x + (this.size.width + over.width) / at.zoom,
      at.y + (this.size.height + over.height) / at.zoom,
    ]
    const seen = windowOf(this.view, this.size)
    const scale = this.view.zoom / at.zoom
    return (
      scale < 2.2 &&
      scale > 0.45 &&
      left <= seen.x &&
      top <= seen.y &&
      right >= seen.x + seen.width &&
      bottom >= seen.y + seen.height
    )
  }

  /** Moves the painted canvas to the view. */
  private place(): void {
    if (!this.painted) return
    const { view: at, over } = this.painted
    const scale = this.view.zoom / at.zoom
    const x = (at.x - this.view.x) * this.view.zoom - over.width * scale
    const y = (at.y - this.view.y) * this.view.zoom - over.height * scale
    this.main.place(x, y, scale)
    this.over.place(x, y, scale)
  }
}

/**
 * Keeps the canvas painted. A small drawing is painted in every frame; a large one is painted larger than what is seen and only
 * moved and scaled as long as that covers the view, so that panning stays smooth without a graphics card. Made by GraphCanvas.vue.
 */
import { NOTHING, type Drawing } from '../scene/drawing'
import { paintGround } from './ground'
import type { Look, Pen } from './look'
import { MOTION, poseBetween } from './motion'
import { paint } from './paint'
import { fitView, windowOf, type Size, type View } from './view'

/** More boxes and edges than this in view are not painted in every frame. */
const MANY = 350
/** Nor is a drawing whose painting takes so long, in ms. */
const MOST_TIME = 9
/** How far over the edges a large drawing is painted, as a share of the view. */
const OVER = 0.3
/** A large drawing is painted sharp so long after the last movement, and no more often than this in the middle of one. */
const REST = 90
const LEAST_REST = 120

export type LookWithout = Omit<Look, 'zoom' | 'window'>

export class Stage {
  view: View = { x: 0, y: 0, zoom: 1 }
  size: Size = { width: 0, height: 0 }
  drawing: Drawing = NOTHING
  private motion: { from: Drawing; shift: { dx: number; dy: number }; start: number } | null = null
  private painted: { view: View; over: Size } | null = null
  private stale = true
  private frame = 0
  private timer = 0
  private lastPaint = 0
  /** About how long painting takes, in ms; where that is too long for every frame, the drawing counts as a large one. */
  private pace = 0
  private slow = false
  private flight: { from: View; to: View; start: number } | null = null

  /**
   * @param look everything that is drawn with but what the stage knows
   * @param changed called after every frame: where the view is, and whether all has come to rest
   */
  constructor(private readonly canvas: HTMLCanvasElement, private readonly look: () => LookWithout, private readonly changed: (resting: boolean) => void) {}

  get resting(): boolean {
    return !this.frame && !this.timer && !this.stale && !this.motion && !this.flight
  }

  resize(size: Size): void {
    this.size = size
    this.request()
  }

  /** Shows another drawing; `shift` is how far what stays in place has moved in the world. */
  show(drawing: Drawing, shift: { dx: number; dy: number }, animated: boolean): void {
    const few = drawing.boxes.length <= MOTION.boxes && this.drawing.boxes.length > 0
    this.motion = animated && few ? { from: this.pose(performance.now()), shift, start: performance.now() } : null
    this.drawing = drawing
    this.slow = false
    this.pace = 0
    this.view = { ...this.view, x: this.view.x + shift.dx, y: this.view.y + shift.dy }
    if (this.flight) this.flight = { ...this.flight, from: this.view, to: { ...this.flight.to, x: this.flight.to.x + shift.dx, y: this.flight.to.y + shift.dy } }
    this.request()
  }

  /** Looks elsewhere, at once or on a short way. */
  lookAt(view: View, animated = false): void {
    this.flight = animated ? { from: this.view, to: view, start: performance.now() } : null
    if (!animated) this.view = view
    this.schedule()
  }

  fit(animated = false): void {
    this.lookAt(fitView({ x: 0, y: 0, width: this.drawing.width, height: this.drawing.height }, this.size), animated)
  }

  /** Paints anew, in the next frame. */
  request(): void {
    this.stale = true
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
    if (this.flight) {
      const share = Math.min(1, (now - this.flight.start) / MOTION.time)
      const { from, to } = this.flight
      const t = 1 - (1 - share) ** 3
      this.view = share >= 1 ? to : { x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t, zoom: from.zoom * (to.zoom / from.zoom) ** t }
      if (share >= 1) this.flight = null
    }
    if (this.motion && now - this.motion.start >= MOTION.time) {
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
      this.stale = false
      return
    }
    const many = this.slow || this.drawing.boxes.length + this.drawing.edges.length > MANY
    const moved = !this.painted || this.painted.view.x !== this.view.x || this.painted.view.y !== this.view.y || this.painted.view.zoom !== this.view.zoom
    if (!moved && !this.stale && !this.motion) return
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

  private pose(now: number): Drawing {
    return this.motion ? poseBetween(this.motion.from, this.drawing, this.motion.shift, Math.min(1, (now - this.motion.start) / MOTION.time)) : this.drawing
  }

  private paint(now: number, many: boolean): void {
    const pen = this.canvas.getContext('2d', { alpha: false })
    this.stale = false
    if (!pen) return
    window.clearTimeout(this.timer)
    this.timer = 0
    const ratio = window.devicePixelRatio || 1
    const over = many ? { width: Math.round(this.size.width * OVER), height: Math.round(this.size.height * OVER) } : { width: 0, height: 0 }
    const [width, height] = [this.size.width + 2 * over.width, this.size.height + 2 * over.height]
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio)
      this.canvas.height = Math.round(height * ratio)
      this.canvas.style.width = `${width}px`
      this.canvas.style.height = `${height}px`
    }
    this.painted = { view: this.view, over }
    const start = performance.now()
    this.draw(pen, ratio, width, height, over, now)
    this.place()
    this.lastPaint = performance.now()
    this.pace = 0.7 * this.pace + 0.3 * (this.lastPaint - start)
    this.slow ||= this.pace > MOST_TIME
  }

  private draw(pen: Pen, ratio: number, width: number, height: number, over: Size, now: number): void {
    const { view } = this
    const look = this.look()
    const [left, top] = [view.x * view.zoom - over.width, view.y * view.zoom - over.height]
    pen.setTransform(1, 0, 0, 1, 0, 0)
    paintGround(pen, look.ink, view, ratio, this.canvas.width, this.canvas.height, left, top)
    const scale = view.zoom * ratio
    pen.setTransform(scale, 0, 0, scale, -left * ratio, -top * ratio)
    const seen = windowOf({ x: left / view.zoom, y: top / view.zoom, zoom: view.zoom }, { width, height })
    paint(pen, this.pose(now), { ...look, zoom: view.zoom, window: seen })
  }

  /** Whether what is painted covers what is seen, and is not blown up too far. */
  private covers(): boolean {
    if (!this.painted) return false
    const { view: at, over } = this.painted
    const [left, top] = [at.x - over.width / at.zoom, at.y - over.height / at.zoom]
    const [right, bottom] = [at.x + (this.size.width + over.width) / at.zoom, at.y + (this.size.height + over.height) / at.zoom]
    const seen = windowOf(this.view, this.size)
    const scale = this.view.zoom / at.zoom
    return scale < 2.2 && scale > 0.45 && left <= seen.x && top <= seen.y && right >= seen.x + seen.width && bottom >= seen.y + seen.height
  }

  /** Moves the painted canvas to where the view wants it. */
  private place(): void {
    if (!this.painted) return
    const { view: at, over } = this.painted
    const scale = this.view.zoom / at.zoom
    const x = (at.x - this.view.x) * this.view.zoom - over.width * scale
    const y = (at.y - this.view.y) * this.view.zoom - over.height * scale
    this.canvas.style.transform = `translate(${x}px, ${y}px) scale(${scale})`
  }
}

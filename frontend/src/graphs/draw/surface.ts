/**
 * A canvas that may be larger than the view, and is moved and scaled with the view between two paintings. Made by the
 * stage.
 */
import type { Pen } from './look'

export class Surface {
  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly alpha: boolean,
  ) {}

  /** A context with this size in CSS pixels; null if there is none. */
  pen(width: number, height: number, ratio: number): Pen | null {
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide
      this.canvas.height = high
      this.canvas.style.width = `${width}px`
      this.canvas.style.height = `${height}px`
    }
    return this.canvas.getContext('2d', { alpha: this.alpha })
  }

  place(x: number, y: number, scale: number): void {
    this.canvas.style.transform = `translate(${x}px, ${y}px) scale(${scale})`
  }

  show(shown: boolean): void {
    this.canvas.style.display = shown ? '' : 'none'
  }
}

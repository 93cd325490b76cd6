/** A pen that writes its drawing as SVG, for the export of a plot. Called by exports.ts. */
import type { Pen } from './axes'

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const short = (value: number): string => String(Number(value.toFixed(2)))
const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: 'middle', right: 'end', end: 'end' }
const BASELINES: Partial<Record<CanvasTextBaseline, string>> = {
  middle: 'central',
  top: 'hanging',
  bottom: 'text-after-edge',
}

export class SvgPen implements Pen {
  fillStyle: Pen['fillStyle'] = '#000'
  strokeStyle: Pen['strokeStyle'] = '#000'
  globalAlpha = 1
  lineWidth = 1
  font = '12px sans-serif'
  textAlign: CanvasTextAlign = 'left'
  textBaseline: CanvasTextBaseline = 'alphabetic'
  private readonly parts: string[] = []
  private path: string[] = []
  private dash: number[] = []

  /** @param ruler measures texts */
  constructor(private readonly ruler: Pick<CanvasRenderingContext2D, 'font' | 'measureText'>) {}

  beginPath(): void {
    this.path = []
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${short(x)} ${short(y)}`)
  }

  lineTo(x: number, y: number): void {
    this.path.push(`${this.path.length ? 'L' : 'M'}${short(x)} ${short(y)}`)
  }

  closePath(): void {
    this.path.push('Z')
  }

  fill(): void {
    this.parts.push(
      `<path d="${this.path.join('')}" fill="${this.fillStyle as string}" fill-opacity="${short(this.globalAlpha)}"/>`,
    )
  }

  stroke(): void {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(' ')}"` : ''
    this.parts.push(
      [
        `<path d="${this.path.join('')}" fill="none" stroke="${this.strokeStyle as string}"`,
        `stroke-width="${short(this.lineWidth)}" stroke-opacity="${short(this.globalAlpha)}"${dash}/>`,
      ].join(' '),
    )
  }

  setLineDash(dash: Iterable<number>): void {
    this.dash = [...dash]
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(
      [
        `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`,
        `fill="${this.fillStyle as string}" fill-opacity="${short(this.globalAlpha)}"/>`,
      ].join(' '),
    )
  }

  fillText(text: string, x: number, y: number): void {
    const weight = /^\d+ /.test(this.font) ? ` font-weight="${parseInt(this.font, 10)}"` : ''
    const anchor = ANCHORS[this.textAlign] ?? 'start'
    const place = `text-anchor="${anchor}" dominant-baseline="${BASELINES[this.textBaseline] ?? 'auto'}"`
    this.parts.push(
      [
        `<text x="${short(x)}" y="${short(y)}" ${place} fill="${this.fillStyle as string}"${weight}>`,
        `${escaped(text)}</text>`,
      ].join(''),
    )
  }

  measureText(text: string): TextMetrics {
    this.ruler.font = this.font
    return this.ruler.measureText(text)
  }

  /** The drawing with a background. */
  drawing(width: number, height: number, background: string, title: string): string {
    const frame = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" ${frame} font-family="Inter, 'Segoe UI', 'Noto Sans CJK SC', sans-serif" font-size="12"><title>${escaped(title)}</title>` +
      `<rect width="100%" height="100%" fill="${background}"/>${this.parts.join('')}</svg>`
    )
  }
}

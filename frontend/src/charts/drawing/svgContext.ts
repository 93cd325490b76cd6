/**
 * The part of a canvas context that charts and graphs use, writing SVG instead of pixels, so that exports equal the
 * screen. Used by `figure.ts` and by the graph's exports.
 */

interface Pen {
  strokeStyle: string
  fillStyle: string
  lineWidth: number
  lineCap: string
  lineJoin: string
  globalAlpha: number
  font: string
  textAlign: string
  textBaseline: string
  dash: string
  clip: string
}

const FRESH: Pen = {
  strokeStyle: '#000',
  fillStyle: '#000',
  lineWidth: 1,
  lineCap: 'butt',
  lineJoin: 'miter',
  globalAlpha: 1,
  font: '12px sans-serif',
  textAlign: 'left',
  textBaseline: 'alphabetic',
  dash: '',
  clip: '',
}
const ANCHORS: Record<string, string> = { left: 'start', center: 'middle', right: 'end' }
/** Distance of the baseline below the given position, in font heights. */
const BASELINES: Record<string, number> = { top: 0.8, middle: 0.33, bottom: -0.22, alphabetic: 0 }

const short = (value: number): string => String(Number(value.toFixed(2)))

function boxOf(x: number, y: number, width: number, height: number): string {
  return `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

export class SvgContext {
  strokeStyle = FRESH.strokeStyle
  fillStyle = FRESH.fillStyle
  lineWidth = FRESH.lineWidth
  lineCap = FRESH.lineCap
  lineJoin = FRESH.lineJoin
  globalAlpha = FRESH.globalAlpha
  font = FRESH.font
  textAlign = FRESH.textAlign
  textBaseline = FRESH.textBaseline
  private dash = ''
  private clipped = ''
  private clips = 0
  private path: string[] = []
  private readonly kept: Pen[] = []
  private readonly parts: string[] = []

  save(): void {
    const {
      strokeStyle,
      fillStyle,
      lineWidth,
      lineCap,
      lineJoin,
      globalAlpha,
      font,
      textAlign,
      textBaseline,
      dash,
      clipped,
    } = this
    this.kept.push({
      strokeStyle,
      fillStyle,
      lineWidth,
      lineCap,
      lineJoin,
      globalAlpha,
      font,
      textAlign,
      textBaseline,
      dash,
      clip: clipped,
    })
  }

  restore(): void {
    const { clip, ...pen } = this.kept.pop() ?? FRESH
    Object.assign(this, pen)
    this.clipped = clip
  }

  beginPath(): void {
    this.path = []
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${short(x)} ${short(y)}`)
  }

  lineTo(x: number, y: number): void {
    this.path.push(`L${short(x)} ${short(y)}`)
  }

  closePath(): void {
    this.path.push('Z')
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`)
  }

  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.path.push(`C${[x1, y1, x2, y2, x, y].map(short).join(' ')}`)
  }

  roundRect(x: number, y: number, width: number, height: number, radius: number): void {
    const r = Math.min(radius, width / 2, height / 2)
    const corner = (dx: number, dy: number): string => `a${short(r)} ${short(r)} 0 0 1 ${short(dx)} ${short(dy)}`
    const [across, down] = [short(width - 2 * r), short(height - 2 * r)]
    this.path.push(
      [
        `M${short(x + r)} ${short(y)}h${across}${corner(r, r)}v${down}`,
        `${corner(-r, r)}h-${across}${corner(-r, -r)}v-${down}${corner(r, -r)}Z`,
      ].join(''),
    )
  }

  /** Full circles only, because nothing draws other arcs. */
  arc(x: number, y: number, radius: number): void {
    const r = short(radius)
    const half = `a${r} ${r} 0 1 0 `
    this.path.push(`M${short(x - radius)} ${short(y)}${half}${short(2 * radius)} 0${half}${short(-2 * radius)} 0Z`)
  }

  /** A clip inside another one: both apply. */
  clip(): void {
    const id = `clip${++this.clips}`
    this.parts.push(`<clipPath id="${id}"${this.inClip()}><path d="${this.path.join('')}"/></clipPath>`)
    this.clipped = id
  }

  setLineDash(dash: readonly number[]): void {
    this.dash = dash.map(short).join(' ')
  }

  stroke(): void {
    if (!this.path.length) return
    const dash = this.dash ? ` stroke-dasharray="${this.dash}"` : ''
    this.add(
      [
        `path d="${this.path.join('')}" fill="none" stroke="${escape(this.strokeStyle)}"`,
        `stroke-width="${short(this.lineWidth)}" stroke-linecap="${this.lineCap}"`,
        `stroke-linejoin="${this.lineJoin}"${dash}`,
      ].join(' '),
    )
  }

  fill(): void {
    if (this.path.length) this.add(`path d="${this.path.join('')}" fill="${escape(this.fillStyle)}"`)
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.add(`rect ${boxOf(x, y, width, height)} fill="${escape(this.fillStyle)}"`)
  }

  fillText(text: string, x: number, y: number): void {
    this.write(text, x, y, `fill="${escape(this.fillStyle)}"`)
  }

  strokeText(text: string, x: number, y: number): void {
    this.write(
      text,
      x,
      y,
      [
        `fill="none" stroke="${escape(this.strokeStyle)}" stroke-width="${short(this.lineWidth)}"`,
        `stroke-linejoin="${this.lineJoin}"`,
      ].join(' '),
    )
  }

  /** A picture inside the drawing, such as a density. */
  drawImage(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    this.add(`image ${boxOf(x, y, width, height)} preserveAspectRatio="none" href="${image.toDataURL()}"`)
  }

  /** The whole drawing as a file. */
  text(width: number, height: number, title: string): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"
    role="img"><title>${escape(title)}</title>${this.parts.join('')}</svg>\n`
  }

  private write(text: string, x: number, y: number, paint: string): void {
    const [, size, family] = /(\d+(?:\.\d+)?)px (.*)$/.exec(this.font) ?? ['', '12', 'sans-serif']
    const weight = /^(\d+) /.exec(this.font)?.[1]
    const base = y + (BASELINES[this.textBaseline] ?? 0) * Number(size)
    this.add(
      [
        `text x="${short(x)}" y="${short(base)}" ${paint} font-size="${size}" font-family="${escape(family)}"`,
        ...(weight ? [`font-weight="${weight}"`] : []),
        `text-anchor="${ANCHORS[this.textAlign] ?? 'start'}"`,
      ].join(' '),
      escape(text),
    )
  }

  private inClip(): string {
    return this.clipped ? ` clip-path="url(#${this.clipped})"` : ''
  }

  private add(element: string, content = ''): void {
    const alpha = this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : ''
    const tag = element.slice(0, element.indexOf(' '))
    this.parts.push(`<${element}${alpha}${this.inClip()}${content ? `>${content}</${tag}>` : '/>'}`)
  }
}

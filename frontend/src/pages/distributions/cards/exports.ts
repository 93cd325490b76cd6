/**
 * Saves what a card shows: numbers of all rows or the buckets of one step as CSV, the plot as PNG or SVG. Called by
 * cards.
 */
import { currentInk } from '../../../charts/drawing/theme'
import { saveFile } from '../../../components/browser/saveFile'
import type { Drawer, Look } from '../drawing/drawer'
import type { Row } from '../drawing/frame'
import type { Histogram } from '../drawing/histogram'
import type { Scene } from '../drawing/scene'
import { SvgPen } from '../drawing/svgPen'

const ROW_HEAD = [
  'first_step',
  'last_step',
  'histograms',
  'finite',
  'min',
  'p5',
  'p25',
  'p50',
  'p75',
  'p95',
  'max',
  'mean',
  'std',
  'nan',
  'pos_inf',
  'neg_inf',
  'in_bucket_at_zero',
]

const lines = (rows: readonly (readonly (number | string)[])[]): string =>
  rows.map((row) => row.join(',')).join('\r\n') + '\r\n'

/** All rows of steps, with all digits, so that reading them returns the same numbers. */
export function rowsCsv(rows: readonly Row[]): string {
  return lines([
    ROW_HEAD,
    ...rows.map((row) => [
      row.first,
      row.last,
      row.items,
      row.finite,
      row.min,
      ...row.bands,
      row.max,
      row.mean,
      row.std,
      row.nan,
      row.posInf,
      row.negInf,
      row.zero,
    ]),
  ])
}

/** The recorded buckets of one step. */
export function bucketsCsv(of: Histogram): string {
  return lines([
    ['step', 'left', 'right', 'count'],
    ...[...of.left].map((left, at) => [of.step, left, left + of.width[at], of.count[at]]),
  ])
}

export interface Picture {
  scene: Scene
  drawer: Drawer
  look: Look
  width: number
  height: number
  title: string
}

const HEAD = 28

/** The plot with its title as a drawing. */
export function svgOf({ scene, drawer, look, width, height, title }: Picture): string {
  const ruler = document.createElement('canvas').getContext('2d')
  const pen = new SvgPen(
    ruler ?? { font: '', measureText: (text: string) => ({ width: 7 * text.length }) as TextMetrics },
  )
  drawer.draw(pen, scene, drawer.box(scene, width, height, look.bare), look)
  return pen.drawing(width, height, currentInk().colour('var(--panel)'), title)
}

/** The plot with its title as a picture, twice as fine as the screen's points. */
export function pngOf({ scene, drawer, look, width, height, title }: Picture): Promise<Blob | null> {
  const scale = 2
  const canvas = Object.assign(document.createElement('canvas'), {
    width: width * scale,
    height: (height + HEAD) * scale,
  })
  const pen = canvas.getContext('2d')
  if (!pen) return Promise.resolve(null)
  pen.scale(scale, scale)
  pen.fillStyle = look.ink.colour('var(--panel)')
  pen.fillRect(0, 0, width, height + HEAD)
  pen.font = `600 ${look.ink.font}`
  pen.fillStyle = look.ink.colour('var(--text)')
  pen.textBaseline = 'middle'
  pen.fillText(title, 14, HEAD / 2 + 2)
  pen.font = look.ink.font
  pen.translate(0, HEAD)
  drawer.draw(pen, scene, drawer.box(scene, width, height, look.bare), look)
  return new Promise((done) => canvas.toBlob(done, 'image/png'))
}

const safe = (name: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '_')

/** Saves a file under the names, put together. */
export function save(content: Blob | string, type: string, ...names: string[]): void {
  saveFile(typeof content === 'string' ? new Blob([content], { type }) : content, names.map(safe).join('-'))
}

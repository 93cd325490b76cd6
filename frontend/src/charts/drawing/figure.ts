/**
 * Draws charts as figures for a paper or a report: title, legend, axes with titles, and the picture of the screen.
 * Several charts become one picture of adjacent figures. Drawn on a canvas for PNG and on an `SvgContext` for SVG.
 * Called by the exports.
 */
import { drawPicture, type SceneAxis } from './picture'
import { byRun } from '../curves/parts'
import type { LinePlot } from '../linePlot'
import { momentMarks } from './moments'
import { scaledFont } from './brush'
import { projectX } from './strokes'
import { SvgContext } from './svgContext'
import { currentInk, type Ink } from './theme'
import { axisWidth, xTicks, yTicks, type Ticks } from '../scales/ticks'
import type { ChartView } from '../view'

export interface FigureWords {
  title: string
  /** Of the x axis. */
  x: string
}

export interface Figure {
  plot: LinePlot
  view: ChartView
  words: FigureWords
}

const WIDTH = 760
const PLOT_HEIGHT = 380
const EDGE = 16
const LINE = 20
const SWATCH = 18

interface Layout {
  left: number
  top: number
  width: number
  height: number
  box: { left: number; top: number; width: number; height: number }
  /** Rows of the legend: name, colour, dash and position. */
  legend: { name: string; colour: string; dash: readonly number[]; x: number; y: number }[]
}

const ticksOf = ({ scale, range }: SceneAxis, height: number): Ticks => yTicks(scale, range.min, range.max, height)

/** The layout from a corner on. The legend has as many rows as it needs. */
function layOut({ plot }: Figure, textWidth: (text: string) => number, corner: { left: number; top: number }): Layout {
  const { left: first, right: second } = plot.scene
  const left = corner.left + EDGE + axisWidth(ticksOf(first, PLOT_HEIGHT), 40)
  const right = second ? EDGE + axisWidth(ticksOf(second, PLOT_HEIGHT), 40) : EDGE
  const legend: Layout['legend'] = []
  let at = left
  let row = 0
  for (const [{ spec }] of byRun(plot.scene.lines)) {
    const wide = SWATCH + 6 + textWidth(spec.name) + 18
    if (at + wide > corner.left + WIDTH - EDGE && at > left) {
      at = left
      row++
    }
    legend.push({
      name: spec.name,
      colour: spec.colour,
      dash: spec.dash,
      x: at,
      y: corner.top + EDGE + LINE * (row + 1.5),
    })
    at += wide
  }
  const head = EDGE + LINE * (row + 2) + 14
  const box = { left, top: corner.top + head, width: corner.left + WIDTH - left - right, height: PLOT_HEIGHT }
  return { ...corner, width: WIDTH, height: head + PLOT_HEIGHT + 24 + LINE + EDGE / 2, box, legend }
}

function drawAxes(
  context: CanvasRenderingContext2D,
  { plot, view, words }: Figure,
  { box, top, height }: Layout,
  ink: Ink,
): void {
  const { x } = plot.scales
  const { left: projection, right } = plot.projections(box.left, box.top, box.width, box.height)
  const { left: first, right: second } = plot.scene
  const across = { min: x.to(plot.scene.x.min), max: x.to(plot.scene.x.max) }
  const rows = ticksOf(first, box.height)
  const columns = xTicks(view.x, across, box.width, EDGE, x)
  context.font = ink.font
  context.lineWidth = 1
  context.textAlign = 'right'
  context.textBaseline = 'middle'
  rows.at.forEach((place, at) => {
    const py = place * projection.ay + projection.by
    context.fillStyle = ink.colour('var(--grid)')
    context.fillRect(box.left, Math.round(py), box.width, 1)
    context.fillStyle = ink.colour('var(--text-2)')
    context.fillText(rows.text[at], box.left - 8, py)
  })
  if (second && right) {
    const places = ticksOf(second, box.height)
    context.textAlign = 'left'
    places.at.forEach((place, at) =>
      context.fillText(places.text[at], box.left + box.width + 8, place * right.ay + right.by),
    )
  }
  context.textAlign = 'center'
  context.textBaseline = 'top'
  columns.at.forEach((place, at) =>
    context.fillText(columns.text[at], projectX(projection, x.from(place)), box.top + box.height + 8),
  )
  context.fillText(words.x, box.left + box.width / 2, top + height - LINE)
}

function drawHead(context: CanvasRenderingContext2D, { legend, box, top }: Layout, words: FigureWords, ink: Ink): void {
  context.font = `600 ${ink.font}`
  context.textAlign = 'left'
  context.textBaseline = 'middle'
  context.fillStyle = ink.colour('var(--text)')
  context.fillText(words.title, box.left, top + EDGE + LINE / 2)
  context.font = ink.font
  for (const { name, colour, dash, x, y } of legend) {
    context.strokeStyle = ink.colour(colour)
    context.lineWidth = 2.5
    context.setLineDash([...dash])
    context.beginPath()
    context.moveTo(x, y)
    context.lineTo(x + SWATCH, y)
    context.stroke()
    context.fillText(name, x + SWATCH + 6, y)
  }
  context.setLineDash([])
}

function drawFigure(context: CanvasRenderingContext2D, figure: Figure, layout: Layout): void {
  const ink = currentInk()
  const { plot, view } = figure
  const { box } = layout
  drawHead(context, layout, figure.words, ink)
  drawAxes(context, figure, layout, ink)
  const marks = momentMarks(plot.momentList, view.x, plot.projection(0, 0, box.width, box.height), box.width)
  drawPicture(
    context,
    { ...plot.scene, moments: marks },
    box,
    plot.projections(box.left, box.top, box.width, box.height),
    1,
  )
}

interface Sheet {
  width: number
  height: number
  layouts: readonly Layout[]
}

/** Maximum number of figures in a row. */
const MOST_COLUMNS = 3

/** Arranges figures in rows; a row is as high as its highest figure. */
function laySheet(figures: readonly Figure[]): Sheet {
  const columns = Math.min(MOST_COLUMNS, Math.ceil(Math.sqrt(figures.length)))
  const layouts: Layout[] = []
  let top = 0
  for (let at = 0; at < figures.length; at += columns) {
    const row = figures
      .slice(at, at + columns)
      .map((figure, column) => layOut(figure, measure, { left: column * WIDTH, top }))
    layouts.push(...row)
    top += Math.ceil(Math.max(...row.map(({ height }) => height)))
  }
  return { width: columns * WIDTH, height: top, layouts }
}

function drawSheet(
  context: CanvasRenderingContext2D,
  figures: readonly Figure[],
  { width, height, layouts }: Sheet,
): void {
  context.fillStyle = currentInk().colour('var(--panel)')
  context.fillRect(0, 0, width, height)
  figures.forEach((figure, at) => drawFigure(context, figure, layouts[at]))
}

/** Browsers reject longer canvases. */
const LONGEST = 16_000

/** Draws figures at twice their size in pixels, or the largest size of a canvas. */
export function pngOf(figures: readonly Figure[]): Promise<Blob> {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (!context) return Promise.reject(new Error('no canvas'))
  const sheet = laySheet(figures)
  const times = Math.min(2, LONGEST / sheet.width, LONGEST / sheet.height)
  canvas.width = Math.floor(sheet.width * times)
  canvas.height = Math.floor(sheet.height * times)
  context.scale(times, times)
  drawSheet(context, figures, sheet)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
  )
}

/** Figures as lines and texts. Layers of pixels become embedded pictures. */
export function svgOf(figures: readonly Figure[]): string {
  const drawing = new SvgContext()
  const sheet = laySheet(figures)
  drawSheet(drawing as unknown as CanvasRenderingContext2D, figures, sheet)
  return drawing.text(sheet.width, sheet.height, figures.map(({ words }) => words.title).join(', '))
}

let ruler: CanvasRenderingContext2D | null = null

function measure(text: string): number {
  ruler ??= document.createElement('canvas').getContext('2d')
  if (!ruler) return text.length * 7
  ruler.font = scaledFont(currentInk().font, 1)
  return ruler.measureText(text).width
}

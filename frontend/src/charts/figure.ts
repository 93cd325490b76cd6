/**
 * A chart as a figure for a paper or a report: title, legend, axes with their names, and the picture of the screen. Drawn on
 * a canvas for PNG and on an `SvgContext` for SVG. Called by ChartExport.vue.
 */
import { drawPicture } from './picture'
import { byRun } from './parts'
import type { LinePlot } from './linePlot'
import { restartMarks } from './restarts'
import { scaledFont } from './brush'
import { projectX } from './strokes'
import { SvgContext } from './svgContext'
import { currentInk, type Ink } from './theme'
import { axisWidth, xTicks, yTicks } from './ticks'
import type { ChartView } from './view'

export interface FigureWords {
  title: string
  /** Of the x axis. */
  x: string
}

const WIDTH = 760
const PLOT_HEIGHT = 380
const EDGE = 16
const LINE = 20
const SWATCH = 18

interface Layout {
  width: number
  height: number
  box: { left: number; top: number; width: number; height: number }
  /** Rows of the legend: name, colour, dash and where it begins. */
  legend: { name: string; colour: string; dash: readonly number[]; x: number; y: number }[]
}

/** Where everything goes; the legend takes as many rows as it needs. */
function layOut(plot: LinePlot, textWidth: (text: string) => number): Layout {
  const ticks = yTicks(plot.scales.y, plot.scene.y.min, plot.scene.y.max, PLOT_HEIGHT)
  const left = EDGE + axisWidth(ticks, 40)
  const legend: Layout['legend'] = []
  let at = left
  let row = 0
  for (const [{ spec }] of byRun(plot.scene.lines)) {
    const wide = SWATCH + 6 + textWidth(spec.name) + 18
    if (at + wide > WIDTH - EDGE && at > left) {
      at = left
      row++
    }
    legend.push({ name: spec.name, colour: spec.colour, dash: spec.dash, x: at, y: EDGE + LINE * (row + 1.5) })
    at += wide
  }
  const top = EDGE + LINE * (row + 2) + 14
  return { width: WIDTH, height: top + PLOT_HEIGHT + 24 + LINE + EDGE / 2, box: { left, top, width: WIDTH - left - EDGE, height: PLOT_HEIGHT }, legend }
}

function drawAxes(context: CanvasRenderingContext2D, plot: LinePlot, view: ChartView, { box, height }: Layout, words: FigureWords, ink: Ink): void {
  const { x, y } = plot.scales
  const projection = plot.projection(box.left, box.top, box.width, box.height)
  const across = { min: x.to(plot.scene.x.min), max: x.to(plot.scene.x.max) }
  const rows = yTicks(y, plot.scene.y.min, plot.scene.y.max, box.height)
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
  context.textAlign = 'center'
  context.textBaseline = 'top'
  columns.at.forEach((place, at) => context.fillText(columns.text[at], projectX(projection, x.from(place)), box.top + box.height + 8))
  context.fillText(words.x, box.left + box.width / 2, height - LINE)
}

function drawHead(context: CanvasRenderingContext2D, { legend, box }: Layout, words: FigureWords, ink: Ink): void {
  context.font = `600 ${ink.font}`
  context.textAlign = 'left'
  context.textBaseline = 'middle'
  context.fillStyle = ink.colour('var(--text)')
  context.fillText(words.title, box.left, EDGE + LINE / 2)
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

function drawFigure(context: CanvasRenderingContext2D, plot: LinePlot, view: ChartView, layout: Layout, words: FigureWords): void {
  const ink = currentInk()
  const { box, width, height } = layout
  context.fillStyle = ink.colour('var(--panel)')
  context.fillRect(0, 0, width, height)
  drawHead(context, layout, words, ink)
  drawAxes(context, plot, view, layout, words, ink)
  const projection = plot.projection(box.left, box.top, box.width, box.height)
  const marks = restartMarks(plot.restartList, view.x, plot.projection(0, 0, box.width, box.height), box.width)
  drawPicture(context, { ...plot.scene, restarts: marks }, box, projection, 1)
}

/** Draws the figure with twice the pixels of its size. */
export function pngOf(plot: LinePlot, view: ChartView, words: FigureWords): Promise<Blob> {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (!context) return Promise.reject(new Error('no canvas'))
  const layout = layOut(plot, measure)
  canvas.width = layout.width * 2
  canvas.height = Math.ceil(layout.height) * 2
  context.scale(2, 2)
  drawFigure(context, plot, view, layout, words)
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'))
}

/** The figure as lines and texts. Layers that paint pixels are kept as pictures in it. */
export function svgOf(plot: LinePlot, view: ChartView, words: FigureWords): string {
  const drawing = new SvgContext()
  const layout = layOut(plot, measure)
  drawFigure(drawing as unknown as CanvasRenderingContext2D, plot, view, layout, words)
  return drawing.text(layout.width, Math.ceil(layout.height), words.title)
}

let ruler: CanvasRenderingContext2D | null = null

function measure(text: string): number {
  ruler ??= document.createElement('canvas').getContext('2d')
  if (!ruler) return text.length * 7
  ruler.font = scaledFont(currentInk().font, 1)
  return ruler.measureText(text).width
}

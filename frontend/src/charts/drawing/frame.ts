/** The frame of a chart: uPlot's canvas with axes and grid in our style, and nothing inside. */
import UPlot from 'uplot'

import type { Range } from '../scales/range'
import { currentInk } from './theme'
import { axisWidth, type Ticks } from '../scales/ticks'

export const AXIS_HEIGHT = 24
/** Width of the y axis if its texts need no more. */
export const AXIS_WIDTH = 44
export const PADDING_TOP = 10
export const PADDING_RIGHT = 12

export interface AxisState {
  range: Range
  ticks: Ticks
}

export interface FrameInput {
  x: () => AxisState
  y: () => AxisState
  /** The axis at the right, if there is one. */
  right?: () => AxisState
  /** Draws the content inside the frame. */
  draw: (uplot: UPlot) => void
}

function scale(axis: () => AxisState): UPlot.Scale {
  return {
    time: false,
    range: () => {
      const { min, max } = axis().range
      return [min, max]
    },
  }
}

function axis(state: () => AxisState): UPlot.Axis {
  return {
    font: currentInk().font,
    stroke: () => currentInk().colour('var(--text-2)'),
    ticks: { show: false },
    splits: () => state().ticks.at,
    values: () => state().ticks.text,
  }
}

export interface Frame {
  uplot: UPlot
  /** Draws it for the first time. Drawing an empty frame would be useless. */
  begin: () => void
}

/**
 * Makes the frame of a chart in an element.
 * @param size size of the element in pixels; the caller reports later changes by `setSize`
 */
export function createFrame(host: HTMLElement, size: { width: number; height: number }, input: FrameInput): Frame {
  const grid = { stroke: (): string => currentInk().colour('var(--grid)'), width: 1 }
  const options: UPlot.Options = {
    width: Math.max(1, size.width),
    height: Math.max(1, size.height),
    padding: [PADDING_TOP, input.right ? 0 : PADDING_RIGHT, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: scale(input.x), y: scale(input.y) },
    series: [{}, { scale: 'y', paths: () => null, points: { show: false } }],
    axes: [
      { ...axis(input.x), size: AXIS_HEIGHT, gap: 7, grid: { show: false } },
      { ...axis(input.y), size: () => axisWidth(input.y().ticks, AXIS_WIDTH), gap: 8, grid },
    ],
    hooks: { draw: [input.draw] },
  }
  if (input.right) {
    const { right } = input
    options.scales = { ...options.scales, right: scale(right) }
    options.series.push({ scale: 'right', paths: () => null, points: { show: false } })
    options.axes?.push({
      ...axis(right),
      scale: 'right',
      side: 1,
      size: () => axisWidth(right().ticks, AXIS_WIDTH),
      gap: 8,
      grid: { show: false },
    })
  }
  let begin = (): void => undefined
  // uPlot needs some data. The caller draws the curves.
  const uplot = new UPlot(options, input.right ? [[0], [null], [null]] : [[0], [null]], (made, init) => {
    host.append(made.root)
    begin = init as () => void
  })
  return { uplot, begin }
}

/**
 * Colour scales for numbers, diverging around 0 or sequential, and their range. Used by the grid, the mini-map and
 * legends.
 */
import type { Ink } from '../charts/drawing/theme'

export const MAPS = ['diverging', 'sequential'] as const
export type MapName = (typeof MAPS)[number]
export const CLIPS = ['robust', 'full'] as const
export type Clip = (typeof CLIPS)[number]

type Rgb = [number, number, number]

/** Cividis, which looks the same to people with colour vision deficiencies. */
const CIVIDIS = [
  '#00224e',
  '#123570',
  '#3b496c',
  '#575d6d',
  '#707173',
  '#8a8678',
  '#a59c74',
  '#c3b369',
  '#e1cc55',
  '#fee838',
]
export const SHADES = 256

export function rgbOf(hex: string): Rgb {
  const number = Number.parseInt(hex.trim().slice(1), 16)
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255]
}

function between(stops: readonly Rgb[], at: number): Rgb {
  const place = at * (stops.length - 1)
  const first = Math.min(stops.length - 2, Math.floor(place))
  const share = place - first
  return [0, 1, 2].map((part) =>
    Math.round(stops[first][part] + (stops[first + 1][part] - stops[first][part]) * share),
  ) as Rgb
}

export interface Palette {
  /** 256 colours as pixels of an ImageData (ABGR). */
  pixels: Uint32Array
  /** The same as CSS. */
  css: readonly string[]
  /** Black or white text, whichever is readable on each colour. */
  ink: readonly string[]
  nan: number
  inf: number
  /** Colour of cells that are not loaded yet. */
  blank: number
  nanCss: string
  infCss: string
  panelCss: string
}

const pixelOf = ([red, green, blue]: Rgb): number => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
const light = (rgb: Rgb): number => {
  const [red, green, blue] = rgb.map((part) => ((part / 255 + 0.055) / 1.055) ** 2.4)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function makePalette(map: MapName, ink: Ink): Palette {
  const colour = (name: string): Rgb => rgbOf(ink.colour(`var(--${name})`))
  const stops = map === 'diverging' ? [colour('div-neg'), colour('div-zero'), colour('div-pos')] : CIVIDIS.map(rgbOf)
  const shades = Array.from({ length: SHADES }, (_, at) => between(stops, at / (SHADES - 1)))
  return {
    pixels: Uint32Array.from(shades, pixelOf),
    css: shades.map(([red, green, blue]) => `rgb(${red} ${green} ${blue})`),
    ink: shades.map((rgb) => (light(rgb) > 0.18 ? '#10151c' : '#ffffff')),
    nan: pixelOf(colour('nan')),
    inf: pixelOf(colour('inf')),
    blank: pixelOf(colour('sunken')),
    nanCss: ink.colour('var(--nan)'),
    infCss: ink.colour('var(--inf)'),
    panelCss: ink.colour('var(--panel)'),
  }
}

/** The numbers of the first and the last colour. */
export interface Span {
  low: number
  high: number
}

interface Numbers {
  min: number | null
  max: number | null
  low: number | null
  high: number | null
}

/** The range of a palette from statistics. */
export function spanOf(numbers: Numbers, map: MapName, clip: Clip): Span {
  const [low, high] = clip === 'full' ? [numbers.min, numbers.max] : [numbers.low, numbers.high]
  let span: Span = { low: low ?? 0, high: high ?? 0 }
  // Percentiles of nearly constant zeros say nothing.
  if (span.low === span.high && clip === 'robust') span = { low: numbers.min ?? 0, high: numbers.max ?? 0 }
  if (map === 'diverging') {
    const most = Math.max(Math.abs(span.low), Math.abs(span.high)) || 1
    return { low: -most, high: most }
  }
  return span.low === span.high ? { low: span.low - 0.5, high: span.high + 0.5 } : span
}

/** Index of the colour of a finite number. */
export function shadeOf(value: number, { low, high }: Span): number {
  const share = (value / 2 - low / 2) / (high / 2 - low / 2)
  return Math.max(0, Math.min(SHADES - 1, Math.round(share * (SHADES - 1))))
}

/**
 * The limits of the palette: run colours that four kinds of vision can distinguish (OKLab distance x 100, Machado 2009
 * simulation at severity 1) and contrasts of WCAG 2.2 AA.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Triple = [number, number, number]
type Matrix = [Triple, Triple, Triple]

const VISIONS: Record<string, Matrix> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}
const TO_LMS: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
]
const TO_LAB: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
]

const times = (matrix: Matrix, vector: Triple): Triple =>
  matrix.map((row) => row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2]) as Triple
const clip = (value: number): number => Math.max(0, Math.min(1, value))
const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

function rgb(hex: string): Triple {
  return [1, 3, 5].map((at) => linear(parseInt(hex.slice(at, at + 2), 16) / 255)) as Triple
}
function luminance(hex: string): number {
  const [r, g, b] = rgb(hex)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
function contrast(a: string, b: string): number {
  const [dark, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (bright + 0.05) / (dark + 0.05)
}
function seen(hex: string, vision: string): Triple {
  const colour = times(VISIONS[vision], rgb(hex)).map(clip) as Triple
  return times(TO_LAB, times(TO_LMS, colour).map(Math.cbrt) as Triple)
}
function smallestDistance(colours: string[], vision: string): number {
  const labs = colours.map((hex) => seen(hex, vision))
  let least = Infinity
  labs.forEach((a, i) =>
    labs.slice(i + 1).forEach((b) => {
      least = Math.min(least, 100 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]))
    }),
  )
  return least
}

const css = readFileSync('src/design/tokens.css', 'utf8')

function tokens(selector: RegExp): Record<string, string> {
  const found: Record<string, string> = {}
  for (const match of css.matchAll(selector)) {
    const body = css.slice(match.index + match[0].length, css.indexOf('}', match.index))
    for (const [, name, value] of body.matchAll(/--([\w-]+):\s*(#[0-9a-fA-F]{6})\b/g)) found[name] = value
  }
  return found
}
const light = tokens(/:root\s*,?[^{]*\{/g)
const themes = { light, dark: { ...light, ...tokens(/\[data-theme=["']dark["']\]\s*\{/g) } }

describe.each(Object.entries(themes))('%s theme', (name, theme) => {
  const runs = Array.from({ length: 10 }, (_, index) => theme[`run-${index + 1}`])

  it.each(Object.keys(VISIONS))('keeps run colours apart in %s vision', (vision) => {
    expect(smallestDistance(runs, vision)).toBeGreaterThanOrEqual(7.5)
  })

  it.each(['bg', 'panel'])('keeps run colours visible on %s', (surface) => {
    expect(Math.min(...runs.map((colour) => contrast(colour, theme[surface])))).toBeGreaterThanOrEqual(3)
  })

  it('keeps superseded curves visible, though faded', () => {
    const shares = [...css.matchAll(/--old-alpha: (0\.\d+)/g)].map((match) => Number(match[1]))
    const share = shares[name === 'light' ? 0 : 1]
    const panel = theme['panel']
    const blend = (colour: string): string =>
      `#${[1, 3, 5]
        .map((at) =>
          Math.round(
            share * parseInt(colour.slice(at, at + 2), 16) + (1 - share) * parseInt(panel.slice(at, at + 2), 16),
          )
            .toString(16)
            .padStart(2, '0'),
        )
        .join('')}`
    expect(Math.min(...runs.map((colour) => contrast(blend(colour), panel)))).toBeGreaterThanOrEqual(2.4)
  })

  it.each(['text', 'text-2', 'accent', 'err', 'warn', 'ok'])('keeps %s readable on every surface', (text) => {
    const surfaces = ['bg', 'panel', 'raised', 'hover', 'selected']
    expect(Math.min(...surfaces.map((surface) => contrast(theme[text], theme[surface])))).toBeGreaterThanOrEqual(4.5)
  })

  it.each([
    ['err', 'err-bg'],
    ['warn', 'warn-bg'],
    ['ok', 'ok-bg'],
    ['accent', 'accent-bg'],
    ['text', 'err-bg'],
    ['text', 'warn-bg'],
    ['text', 'accent-bg'],
    ['text-2', 'accent-bg'],
    ['text-2', 'warn-bg'],
    ['text-2', 'err-bg'],
    ['text-2', 'sunken'],
    ['warn', 'sunken'],
    ['on-solid', 'solid'],
    ['on-accent', 'accent-solid'],
  ])('keeps %s readable on %s', (text, surface) => {
    expect(contrast(theme[text], theme[surface])).toBeGreaterThanOrEqual(4.5)
  })

  it.each(['bg', 'panel', 'raised'])('keeps the edges of controls visible on %s', (surface) => {
    expect(contrast(theme['control'], theme[surface])).toBeGreaterThanOrEqual(3)
  })
})

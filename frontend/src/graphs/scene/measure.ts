/**
 * The sizes of boxes and their texts. Texts are measured once, because names repeat in a graph. Called by scene and
 * drawing.
 */
import type { InsideBox } from '../inside'

/** Sizes in CSS pixels at zoom 1, from the mock-up. */
export const BOX = {
  height: 30,
  radius: 6,
  edge: 3,
  left: 12,
  right: 10,
  between: 14,
  least: 72,
  most: 320,
  sheet: 4,
  pill: 24,
  header: 40,
  containerRadius: 10,
  padding: 18,
  chip: 22,
  chipStep: 24,
  proxy: 116,
  port: 7,
} as const

/** With more instances than this, the picker is compact. */
export const MOST_CHIPS = 16

let sans = 'sans-serif'
let mono = 'monospace'
let pen: CanvasRenderingContext2D | null | undefined
const known = new Map<string, number>()
const fitted = new Map<string, string>()

/** Fonts by use, at zoom 1. */
export const fontOf = {
  name: (): string => `13px ${sans}`,
  title: (): string => `600 13px ${sans}`,
  small: (): string => `12px ${sans}`,
  mono: (): string => `12px ${mono}`,
}

/** Sets the theme's font families. Texts measured with others are dropped. */
export function useFonts(sansFamily: string, monoFamily: string): void {
  if (sansFamily === sans && monoFamily === mono) return
  sans = sansFamily
  mono = monoFamily
  known.clear()
  fitted.clear()
}

/** The width of a text in CSS pixels. */
export function textWidth(text: string, font: string): number {
  const key = `${font}\n${text}`
  let width = known.get(key)
  if (width === undefined) {
    pen ??= typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d')
    if (pen) pen.font = font
    width = pen ? pen.measureText(text).width : text.length * 7
    known.set(key, width)
  }
  return width
}

/** The text, or the start and end that fit: names differ at their ends. */
export function fitText(text: string, font: string, room: number): string {
  if (textWidth(text, font) <= room) return text
  const key = `${Math.floor(room)}|${font}|${text}`
  const before = fitted.get(key)
  if (before !== undefined) return before
  let [few, many] = [1, text.length]
  const cut = (kept: number): string =>
    `${text.slice(0, Math.ceil(kept * 0.4))}…${text.slice(text.length - Math.floor(kept * 0.6))}`
  while (few < many) {
    const middle = (few + many + 1) >> 1
    if (textWidth(cut(middle), font) <= room) few = middle
    else many = middle - 1
  }
  fitted.set(key, cut(few))
  return cut(few)
}

/** Texts of the drawing in the page's language. */
export interface BoxWords {
  operators(count: number): string
  /** Of each instance of a stack. */
  each(count: number): string
  /** As in "7 / 48". */
  instance(one: number, count: number): string
}

/** Parameters, constants and nodes without an operator are drawn as pills. */
export function isPill(box: InsideBox): boolean {
  return box.kind === 'node' && (box.op === null || box.op === 'Parameter')
}

export function titleOf(box: InsideBox): string {
  return box.count > 1 ? `${box.name} ×${box.count}` : box.name
}

/** "+12 −3 ~1": the number of nodes of a box that a comparison found added, removed and changed; empty without any. */
export function changesText({ changes }: Pick<InsideBox, 'changes'>): string {
  if (!changes) return ''
  const parts: [string, number][] = [
    ['+', changes.added],
    ['−', changes.removed],
    ['~', changes.changed],
  ]
  return parts
    .filter(([, count]) => count > 0)
    .map(([sign, count]) => sign + count)
    .join(' ')
}

/** The operator of a node whose name does not contain it, as with a layer's name. */
function typeOf(box: InsideBox): string {
  const type = box.op?.split('::').pop() ?? ''
  return isPill(box) || box.name.toLowerCase().includes(type.toLowerCase()) ? '' : type
}

/**
 * The text at the right of a closed box: its number of operators, for a stack that of each instance; in a comparison,
 * the differences; for a node, its operator.
 */
export function noteOf(box: InsideBox, words: BoxWords): string {
  if (box.kind === 'node') return typeOf(box)
  const differing = changesText(box)
  if (differing) return differing
  return box.count > 1 ? words.each(Math.round(box.operators / box.count)) : words.operators(box.operators)
}

/** The parts of a closed box's area: sheets behind it and stubs of hubs are beside the body. */
export interface Footprint {
  width: number
  height: number
  /** The start of the body. */
  left: number
  bodyWidth: number
  bodyHeight: number
}

export function footprintOf(box: InsideBox, words: BoxWords): Footprint {
  const note = noteOf(box, words)
  const pill = isPill(box)
  const text =
    textWidth(titleOf(box), pill ? fontOf.mono() : fontOf.name()) +
    (note ? BOX.between + textWidth(note, fontOf.small()) : 0)
  const bodyWidth = Math.round(Math.max(BOX.least, Math.min(BOX.most, text + BOX.left + BOX.right + (note ? 0 : 6))))
  const bodyHeight = pill ? BOX.pill : BOX.height
  const left = box.proxies.length ? BOX.proxy : 0
  const sheets = box.count > 1 ? 2 * BOX.sheet : 0
  return { width: left + bodyWidth + sheets, height: bodyHeight + sheets, left, bodyWidth, bodyHeight }
}

/** The space for the header of an opened container. */
export function headerWidth(box: InsideBox, words: BoxWords): number {
  const title = textWidth(titleOf(box), fontOf.title())
  return Math.ceil(14 + title + 24 + pickerWidth(box, words) + 12)
}

/** The width of the right part of a header: chips of instances, a compact picker, or a count. */
export function pickerWidth(box: InsideBox, words: BoxWords): number {
  if (box.count > MOST_CHIPS) return 2 * BOX.chipStep + compactWidth(box.count, words)
  if (box.count > 1) return box.count * BOX.chipStep
  return textWidth(noteOf(box, words), fontOf.small())
}

/** The width of "7 / 48" in the compact picker, the same for every instance. */
export function compactWidth(count: number, words: BoxWords): number {
  return Math.ceil(textWidth(`~${words.instance(count, count)}`, fontOf.small()) + 12)
}

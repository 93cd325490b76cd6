/**
 * Colour palettes and legends of boxes: a palette maps values to colours, and a legend lists the visible ones. Pure;
 * called by useColouring.ts.
 */
import { shades } from '../../../design/sequential'
import { FAMILIES, familyOf, type Family } from './opFamilies'

export interface LegendEntry {
  key: string
  label: string
  /** null for boxes without a colour */
  colour: string | null
}

export interface Palette {
  /** In the order of the legend. */
  entries: readonly LegendEntry[]
  entryOf: (value: string) => LegendEntry | undefined
  /**
   * Whether the legend is a scale, which lists all of its steps; values outside the scale are listed only if visible.
   */
  isScale: boolean
}

/** Colours in order of assignment; further values share one colour. */
const ORDER = [1, 3, 5, 6, 2, 8, 4, 9, 7, 10]
const OTHER = 'var(--control)'
const STEPS = 5

/** Colours of the kinds of operators, the same in every graph. */
const OF_FAMILY: Record<Family, string> = {
  product: 'var(--run-1)',
  norm: 'var(--run-3)',
  activation: 'var(--run-5)',
  elementwise: 'var(--run-10)',
  shape: 'var(--run-8)',
  reduce: 'var(--run-2)',
  update: 'var(--run-6)',
  order: 'var(--line-strong)',
  other: 'var(--run-4)',
}

/** @param names labels of the values in the legend, in the order of the colours */
export function paletteOfNames(names: ReadonlyMap<string, string>, others: string): Palette {
  const rest: LegendEntry = { key: 'others', label: others, colour: OTHER }
  const own = new Map(
    [...names]
      .slice(0, ORDER.length)
      .map(([value, label], at) => [value, { key: `=${value}`, label, colour: `var(--run-${ORDER[at]})` }]),
  )
  return {
    entries: [...own.values(), rest],
    entryOf: (value) => own.get(value) ?? (names.has(value) ? rest : undefined),
    isScale: false,
  }
}

/** Numbered kernels. Neighbouring numbers have different colours; the colours repeat. */
export function paletteOfKernels(label: (number: string) => string): Palette {
  const colourOf = (number: string): string => `var(--run-${ORDER[Number(number) % ORDER.length]})`
  const entries = new Map<string, LegendEntry>()
  const entryOf = (number: string): LegendEntry => {
    const known = entries.get(number) ?? { key: number, label: label(number), colour: colourOf(number) }
    entries.set(number, known)
    return known
  }
  return { entries: [], entryOf, isScale: false }
}

export function paletteOfOperators(label: (family: Family) => string): Palette {
  const entries = new Map(FAMILIES.map((one) => [one, { key: one, label: label(one), colour: OF_FAMILY[one] }]))
  return { entries: [...entries.values()], entryOf: (value) => entries.get(familyOf(value)), isScale: false }
}

/** Upper bound of each step of a scale, in order. */
type Limits = readonly number[]

/** Quadratic steps from zero to the maximum, because a few boxes hold almost everything. */
export const limitsOfAmounts = (most: number): Limits =>
  Array.from({ length: STEPS }, (_, at) => most * ((at + 1) / STEPS) ** 2)

/** The same steps for whole numbers; all steps are distinct. */
export const limitsOfCounts = (most: number): Limits => [
  ...new Set(limitsOfAmounts(Math.max(1, most)).map((limit) => Math.ceil(limit - 1e-9))),
]

/** Geometric steps from the minimum to the maximum, because norms differ by powers of ten. */
export function limitsOfNorms(norms: readonly number[]): Limits {
  const some = norms.filter((norm) => norm > 0 && Number.isFinite(norm))
  const [least, most] = [some.reduce((a, b) => Math.min(a, b), Infinity), some.reduce((a, b) => Math.max(a, b), 0)]
  if (!(most > least)) return most > 0 ? [most] : [0]
  return Array.from({ length: STEPS }, (_, at) => least * (most / least) ** ((at + 1) / STEPS))
}

/**
 * @param label formats an amount for the legend
 * @param unlimited label of an amount that is not finite
 */
export function paletteOfLimits(limits: Limits, label: (amount: number) => string, unlimited: string): Palette {
  // The darkest colour would be invisible on dark boxes.
  const colours = shades('viridis', limits.length + 1).slice(1)
  const entries = limits.map((limit, at) => ({ key: String(at), label: `≤ ${label(limit)}`, colour: colours[at] }))
  const bad: LegendEntry = { key: 'unlimited', label: unlimited, colour: 'var(--nan)' }
  const stepOf = (amount: number): number => limits.findIndex((limit) => amount <= limit * (1 + 1e-9))
  return {
    entries,
    entryOf: (value) => (Number.isFinite(Number(value)) ? entries.at(stepOf(Number(value))) : bad),
    isScale: true,
  }
}

/** The first kernels by number, one for each colour, and the number of kernels left. */
export function legendOfKernels(seen: readonly LegendEntry[], more: (count: number) => string): LegendEntry[] {
  const kernels = seen.filter((one) => one.colour !== null).sort((a, b) => Number(a.key) - Number(b.key))
  const cut =
    kernels.length > ORDER.length
      ? [...kernels.slice(0, ORDER.length), { key: 'more', label: more(kernels.length - ORDER.length), colour: OTHER }]
      : kernels
  return [...cut, ...seen.filter((one) => one.colour === null)]
}

/**
 * Legend entries of a palette for the visible boxes.
 * @param values values of the drawn boxes
 * @param unknown label of boxes without a colour
 */
export function legendOf(palette: Palette, values: readonly (string | null)[], unknown: string): LegendEntry[] {
  const seen = new Set(values.map((value) => (value === null ? undefined : palette.entryOf(value))))
  const beside = [...seen].filter((one) => one !== undefined && !palette.entries.includes(one)) as LegendEntry[]
  const told =
    palette.isScale && [...seen].some((one) => one && !beside.includes(one))
      ? [...palette.entries]
      : palette.entries.filter((one) => seen.has(one))
  told.push(...beside)
  return seen.has(undefined) ? [...told, { key: 'unknown', label: unknown, colour: null }] : [...told]
}

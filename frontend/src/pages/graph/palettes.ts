/** What colours of boxes mean: a palette gives each value its colour, and a legend is what of it is seen. Pure; called by useColouring.ts. */
import { shades } from '../../design/sequential'
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
  /** Whether the legend is a scale, of which all is told. */
  isScale: boolean
}

/** Colours in the order in which they are given out; what comes behind them shares another one. */
const ORDER = [1, 3, 5, 6, 2, 8, 4, 9, 7, 10]
const OTHER = 'var(--control)'
const STEPS = shades('viridis', 5)

/** Colours of the kinds of operators, the same in every graph. */
const OF_FAMILY: Record<Family, string> = {
  product: 'var(--run-1)', norm: 'var(--run-3)', activation: 'var(--run-5)', elementwise: 'var(--run-10)', shape: 'var(--run-8)', reduce: 'var(--run-2)', update: 'var(--run-6)',
  order: 'var(--line-strong)', other: 'var(--run-4)',
}

/** @param names what the legend calls each value, in the order of the colours */
export function paletteOfNames(names: ReadonlyMap<string, string>, others: string): Palette {
  const rest: LegendEntry = { key: 'others', label: others, colour: OTHER }
  const own = new Map([...names].slice(0, ORDER.length).map(([value, label], at) => [value, { key: `=${value}`, label, colour: `var(--run-${ORDER[at]})` }]))
  return { entries: [...own.values(), rest], entryOf: (value) => own.get(value) ?? (names.has(value) ? rest : undefined), isScale: false }
}

export function paletteOfOperators(label: (family: Family) => string): Palette {
  const entries = new Map(FAMILIES.map((one) => [one, { key: one, label: label(one), colour: OF_FAMILY[one] }]))
  return { entries: [...entries.values()], entryOf: (value) => entries.get(familyOf(value)), isScale: false }
}

/** Amounts between nothing and the most there is, on a scale of squares: a few boxes hold almost all. */
export function paletteOfAmounts(most: number, label: (amount: number) => string): Palette {
  const entries = STEPS.map((colour, at) => ({ key: String(at), label: `≤ ${label(most * ((at + 1) / STEPS.length) ** 2)}`, colour }))
  const stepOf = (amount: number): number => Math.ceil(Math.sqrt(most > 0 ? amount / most : 0) * STEPS.length - 1e-9) - 1
  return { entries, entryOf: (value) => entries[Math.min(STEPS.length - 1, Math.max(0, stepOf(Number(value))))], isScale: true }
}

/**
 * What is seen of a palette.
 * @param values what the boxes that are drawn are coloured by
 * @param unknown what boxes without a colour are called
 */
export function legendOf(palette: Palette, values: readonly (string | null)[], unknown: string): LegendEntry[] {
  const seen = new Set(values.map((value) => (value === null ? undefined : palette.entryOf(value))))
  const told = palette.isScale && [...seen].some((one) => one) ? palette.entries : palette.entries.filter((one) => seen.has(one))
  return seen.has(undefined) ? [...told, { key: 'unknown', label: unknown, colour: null }] : [...told]
}

/**
 * The columns of the table of runs. A built-in column exists for every run and begins with `@`. Any other is an operand
 * of the query language, such as `lr` or `max(accuracy)`, whose values the server provides.
 */
import type { Telling } from '../../../data/runs/telling'
import type { QueryParam } from '../../../scaffold/viewState'

export const BUILT_IN = [
  '@step',
  '@trend',
  '@last',
  '@tags',
  '@points',
  '@size',
  '@disk',
  '@duration',
  '@started',
  '@updated',
  '@marks',
] as const
export type BuiltIn = (typeof BUILT_IN)[number]

/** The columns until a user chooses some. */
export function standardColumns({ score, parameters }: Telling): readonly string[] {
  return ['@last', '@trend', ...(score === null ? [] : [score]), ...parameters, '@step', '@duration', '@updated']
}

/** Sort keys of built-in columns in the query language; the others cannot be sorted. */
export const SORTED_BY: Partial<Record<string, string>> = {
  '@name': 'name',
  '@step': 'step',
  '@points': 'points',
  '@size': 'size',
  '@disk': 'disk',
  '@duration': 'duration',
  '@started': 'started',
  '@updated': 'updated',
}

const WIDTHS: Record<BuiltIn, number> = {
  '@step': 138,
  '@trend': 100,
  '@last': 104,
  '@tags': 66,
  '@points': 86,
  '@size': 86,
  '@disk': 86,
  '@duration': 92,
  '@started': 128,
  '@updated': 124,
  '@marks': 160,
}
const VALUE_WIDTH = 96
export const COLUMN_WIDTH = { min: 56, max: 480 }
export const NAME_WIDTH = { min: 160, max: 720, standard: 270 }
/** Pixels of one letter of a name, and of the rest of its cell: edges and a chip. */
const LETTER = 7.25
const BESIDE_NAME = 36

/** The width at which a name of this length fits. */
export function widthOfName(letters: number): number {
  return Math.min(NAME_WIDTH.max, Math.ceil(letters * LETTER) + BESIDE_NAME)
}

export function isBuiltIn(key: string): key is BuiltIn {
  return (BUILT_IN as readonly string[]).includes(key)
}

export function standardWidth(key: string): number {
  return isBuiltIn(key) ? WIDTHS[key] : VALUE_WIDTH
}

/** Splits a list at commas; a comma in quotes is part of a name. */
export function splitNames(text: string): string[] {
  const parts = text.match(/(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^,])+/g) ?? []
  return parts.map((part) => part.trim()).filter(Boolean)
}

/** `cols=@step,lr,max(acc)` in the address; null is the choice stored in this browser. */
export const columnsParam: QueryParam<readonly string[] | null> = {
  default: null,
  parse(text) {
    const names = splitNames(text).filter((name) => !name.startsWith('@') || isBuiltIn(name))
    return [...new Set(names)]
  },
  format: (columns) => columns && columns.join(','),
}

/** `group=optimizer,lr` in the address. */
export const groupParam: QueryParam<readonly string[]> = {
  default: [],
  parse: (text) => splitNames(text).slice(0, 4),
  format: (by) => (by.length ? by.join(',') : null),
}

export interface ColumnName {
  /** The function before the tag, if there is one. */
  figure: string | null
  name: string
}

/** `max(accuracy/val)` becomes "accuracy/val max"; `param:"lr decay"` becomes "lr decay". */
export function columnName(key: string): ColumnName {
  const call = /^(\w+)\((.*)\)$/s.exec(key)
  const [figure, written] = call ? [call[1], call[2]] : [null, key]
  return { figure, name: unquoted(written.replace(/^(?:param|metric):/, '')) }
}

function unquoted(written: string): string {
  return /^(["']).*\1$/s.test(written) ? written.slice(1, -1).replace(/\\(.)/gs, '$1') : written
}

/** Moves one item of a list; returns the same list if it cannot move further. */
export function moved(list: readonly string[], from: number, to: number): string[] {
  const next = [...list]
  const at = Math.max(0, Math.min(list.length - 1, to))
  next.splice(at, 0, ...next.splice(from, 1))
  return next
}

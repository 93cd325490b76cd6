/**
 * Short forms of numbers, for ticks and sentences. Numbers in tables are written by
 * components/formatting/numbers.ts.
 */
import { formatWhole } from '../../components/formatting/numbers'

const MINUS = '−'
/** Digits in a sentence, and the maximum if values hardly differ. */
const USUAL = 3
const FINEST = 9

function signed(text: string): string {
  return text.replaceAll('-', MINUS).replace('e+', 'e')
}

/** Removes the noise of binary fractions and trailing zeros. */
function plain(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)))
}

function short(value: number, digits: number, thousandsFrom: number): string {
  const size = Math.abs(value)
  if (size === 0) return '0'
  if (size >= 1e12 || size < 1e-3) return signed(Number(value.toPrecision(digits)).toExponential())
  if (size >= 1e9) return signed(`${plain(value / 1e9, digits)}G`)
  if (size >= 1e6) return signed(`${plain(value / 1e6, digits)}M`)
  if (size >= thousandsFrom) return signed(`${plain(value / 1e3, digits)}k`)
  return signed(plain(value, digits))
}

/** A tick of an axis: 0.05, 8k, 1.2M, 1e−5. */
export function tickText(value: number, digits = 6): string {
  return short(value, digits, 1e3)
}

/** The first of several ways to write values, from short to long, in which neighbours differ. */
export function firstDistinct(ways: readonly (() => string[])[]): string[] {
  let texts: string[] = []
  for (const way of ways) {
    texts = way()
    if (texts.every((text, at) => at === 0 || text !== texts[at - 1])) break
  }
  return texts
}

/** Ticks with enough digits to distinguish neighbours. */
export function tickTexts(values: readonly number[]): string[] {
  return firstDistinct([6, 8, 10, 12, 15].map((digits) => () => values.map((value) => tickText(value, digits))))
}

/** A value in a sentence, by default with three digits: 0.0418, 1,148, 3.48M. */
export function sentenceNumber(value: number, locale: string, digits = USUAL): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : `${MINUS}Inf`
  const size = Math.abs(value)
  if (size >= 999.5 && size < 1e6)
    return formatWhole(value, locale, Math.max(0, digits - Math.floor(Math.log10(size)) - 1))
  return short(value, digits, 1e6)
}

/** The number of digits that show the difference of two values. */
export function sentenceDigits(one: number, other: number): number {
  if (one === other) return USUAL
  const place = (value: number): number => Math.floor(Math.log10(Math.abs(value)))
  const digits = Math.max(place(one), place(other)) - place(one - other) + 1
  return Math.min(FINEST, Math.max(USUAL, digits))
}

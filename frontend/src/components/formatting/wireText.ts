/** Values of the comparison from the wire as texts. Values that a user typed stay unchanged. Pure. */

/** Digits of a number that was computed or drawn at random. */
const DIGITS = 6

export function wireText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return JSON.stringify(value)
  const short = String(value)
  return (short.length <= DIGITS + 2 ? short : String(Number(value.toPrecision(DIGITS)))).replaceAll('-', '−')
}

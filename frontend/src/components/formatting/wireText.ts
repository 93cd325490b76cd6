/** Values of the comparison as they came over the wire, as texts: what a training typed stays as it is. Pure. */

/** Digits of a number that was computed or drawn by lot. */
const DIGITS = 6

export function wireText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return JSON.stringify(value)
  const short = String(value)
  return (short.length <= DIGITS + 2 ? short : String(Number(value.toPrecision(DIGITS)))).replaceAll('-', '−')
}

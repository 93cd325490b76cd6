/** Formats shares and correlations: two decimals, a true minus sign. Pure. */

const MINUS = '−'

/** A share: 0.61. A value that rounds to zero but is not zero is written as "less than". */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const text = Math.abs(value).toFixed(2)
  if (text === '0.00') return '0.00'
  return (value < 0 ? MINUS : '') + text
}

/** A correlation with its sign: +0.08, −0.42. */
export function signed(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return '–'
  const text = figure(value)
  return text === '0.00' || value < 0 ? text : `+${text}`
}

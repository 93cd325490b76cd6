/** The course of a counter as the path of a filled area. A counter keeps its value until the next point. */

/**
 * @param points time, lowest and highest value for each pixel with changes
 * @param length nanoseconds of the whole width
 * @param most the value at the top
 */
export function areaOf(
  points: readonly (readonly number[])[],
  length: number,
  most: number,
  wide: number,
  high: number,
): string {
  if (!points.length || most <= 0) return ''
  const x = (time: number): string => ((wide * Math.max(0, time)) / Math.max(1, length)).toFixed(1)
  const y = (value: number): string => (high - (high * Math.max(0, value)) / most).toFixed(1)
  const [first] = points
  const parts = [`M${x(first?.[0] ?? 0)} ${high}`]
  for (const [time = 0, , highest = 0] of points) parts.push(`H${x(time)}V${y(highest)}`)
  return `${parts.join('')}H${wide}V${high}Z`
}

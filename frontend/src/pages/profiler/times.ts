/** Durations in the unit that suits them, and round distances for the axis of time. */

const UNITS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
] as const

/** A time such as "4.21 ms". */
export function timeText(nanoseconds: number): string {
  const [size, unit] = UNITS.find(([one]) => Math.abs(nanoseconds) >= one) ?? [1, 'ns']
  const value = nanoseconds / size
  return `${size === 1 ? Math.round(value) : Number(value.toPrecision(4))} ${unit}`
}

/** The share of a whole, such as "12.5 %". */
export const shareText = (part: number, all: number): string => `${all > 0 ? ((100 * part) / all).toFixed(1) : '0.0'} %`

/** A distance of ticks of 1, 2 or 5 times a power of ten, at least `least`. */
export function roundDistance(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? 10 * power
}

/**
 * Numbers, sizes and times as they are written on every page: four significant digits, SI letters for
 * large values, powers of ten below 1e-4, a true minus sign. Pure functions; `useFormat` binds the language.
 */
const MINUS = '−'
const LARGE: readonly [number, string][] = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
]
const BYTES: readonly [number, string][] = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
]

const INTERVALS: readonly [number, string][] = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
]

const formats = new Map<string, Intl.NumberFormat>()

function intl(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = locale + JSON.stringify(options)
  let format = formats.get(key)
  if (!format) {
    format = new Intl.NumberFormat(locale, options)
    formats.set(key, format)
  }
  return format
}

function minus(text: string): string {
  return text.replaceAll('-', MINUS)
}

function significant(value: number, digits: number, locale: string): string {
  const options = { minimumSignificantDigits: digits, maximumSignificantDigits: digits }
  return minus(intl(locale, options).format(value))
}

/** Rounding to four digits may reach the next unit: 999,999.7 becomes a million. */
function rounded(value: number): number {
  return Math.abs(Number(value.toPrecision(4)))
}

/**
 * A measured value.
 * @param digits significant digits: four, or three in small spaces
 * @returns e.g. `0.03820`, `1,213`, `12.35M`, `1.234e−5`, `NaN`, `−Inf`
 */
export function formatNumber(value: number, locale = 'en', digits = 4): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : `${MINUS}Inf`
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e18) return minus(value.toExponential(digits - 1).replace('e+', 'e'))
  if (Number.isInteger(value) && size < 1e6) return formatInteger(value, locale)
  if (size >= 999_999.5) {
    const [unit, letter] = LARGE.find(([unit]) => rounded(value) >= unit) ?? [1e6, 'M']
    return significant(value / unit, digits, locale) + letter
  }
  if (size >= 999.95) return formatInteger(Math.round(value), locale)
  return significant(value, digits, locale)
}

/** A count or a step, with separators: `12,500`. */
export function formatInteger(value: number, locale = 'en'): string {
  return formatWhole(value, locale, 0)
}

/** A number in full, with separators and at most so many decimals: `12,500.25`. */
export function formatWhole(value: number, locale: string, decimals: number): string {
  return minus(intl(locale, { maximumFractionDigits: decimals }).format(value))
}

/** A count in small spaces: `7,520`, `1.2M`. */
export function formatCount(value: number, locale = 'en'): string {
  if (value < 100_000) return formatInteger(value, locale)
  if (value < 999_500) return `${formatInteger(Math.round(value / 1e3), locale)}k`
  const [unit, letter] = LARGE.find(([unit]) => value >= unit * 0.9995) ?? [1e6, 'M']
  return significant(value / unit, 3, locale) + letter
}

/** A size in decimal units: `37.9 MB`. */
export function formatBytes(value: number, locale = 'en'): string {
  const found = BYTES.find(([unit]) => value >= unit * 0.9995)
  if (!found) return `${formatInteger(value, locale)} B`
  return `${significant(value / found[0], 3, locale)} ${found[1]}`
}

/** The progress of sizes in one unit: `41 of 130 MB` is made from ['41', '130 MB']. */
export function formatProgress(done: number, total: number, locale = 'en'): [string, string] {
  const [unit, name] = BYTES.find(([unit]) => total >= unit) ?? [1, 'B']
  const digits = total / unit < 10 && unit > 1 ? 1 : 0
  const format = intl(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return [format.format(Math.min(done, total) / unit), `${format.format(total / unit)} ${name}`]
}

/** A time span in seconds as `1:28:31`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}

/** A short time with its unit, to three digits: `3.20 µs`, `41.0 ms`, `1.25 s`. */
export function formatInterval(seconds: number, locale = 'en'): string {
  if (seconds === 0) return '0 s'
  const [unit, name] = INTERVALS.find(([unit]) => Math.abs(seconds) >= unit * 0.9995) ?? [1e-6, 'µs']
  return `${significant(seconds / unit, 3, locale)} ${name}`
}

const AGES: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [31_557_600, 'year'],
  [2_629_800, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** The time since a moment in the language: `now`, `3 sec. ago`, `3秒前`. */
export function formatAgo(seconds: number, locale = 'en'): string {
  const age = Math.max(0, seconds)
  if (age < 1) return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second')
  const [length, unit] = AGES.find(([length]) => age >= length) ?? [1, 'second']
  const format = new Intl.RelativeTimeFormat(locale, { style: 'short', numeric: 'always' })
  return format.format(-Math.floor(age / length), unit)
}

/** An age in seconds with its unit: `0.4 s`, `12 s`, `3 min`, `2 h`. */
export function formatAge(seconds: number, locale = 'en'): string {
  const age = Math.max(0, seconds)
  if (age < 9.95) return `${intl(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(age)} s`
  if (age < 99.5) return `${formatInteger(age, locale)} s`
  if (age < 5940) return `${formatInteger(age / 60, locale)} min`
  if (age < 172_800) return `${formatInteger(age / 3600, locale)} h`
  return `${formatInteger(age / 86_400, locale)} d`
}

/** The remaining time in whole units, rounded up: `1 s`, `12 s`, `3 min`, `2 h`. */
export function formatSpan(seconds: number, locale = 'en'): string {
  const whole = Math.max(1, Math.ceil(seconds))
  return whole < 10 ? `${formatInteger(whole, locale)} s` : formatAge(whole, locale)
}

/** A moment (seconds since 1970) in the language. */
export function formatMoment(seconds: number, locale = 'en'): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(seconds * 1000)
}

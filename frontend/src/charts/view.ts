/**
 * The view settings of a chart: axes, scales, smoothing, range, rules. Plain data with a short text form for addresses
 * and saved views. Made by pages, read by LineChart.
 */
import type { ScaleKind } from './scales/scale'

/**
 * The quantity on the x axis: the training's step, steps since the run's first step, seconds since the run's first
 * point, seconds since 1970, or the value of another scalar of the same run at the same step.
 */
export type XAxis = 'step' | 'relative-step' | 'relative' | 'wall' | `tag:${string}`

export const X_AXES: readonly ['step', 'relative-step', 'relative', 'wall'] = [
  'step',
  'relative-step',
  'relative',
  'wall',
]
export const SCALES: readonly [ScaleKind, ...ScaleKind[]] = ['linear', 'log', 'symlog']

/** The tag whose values are x; null on all other axes. */
export function tagOf(axis: XAxis): string | null {
  return axis.startsWith('tag:') ? axis.slice(4) : null
}

/** Whether x counts seconds. */
export function isTime(axis: XAxis): axis is 'relative' | 'wall' {
  return axis === 'relative' || axis === 'wall'
}

/** The moving average from the start, the mean of a window around each point, or a mean weighted by a bell curve. */
export type SmoothingKind = 'ema' | 'mean' | 'gaussian'

export const SMOOTHINGS: readonly [SmoothingKind, ...SmoothingKind[]] = ['ema', 'mean', 'gaussian']
export const MOST_SMOOTHING = 0.99

export interface Smoothing {
  kind: SmoothingKind
  /** 0 for none, up to 0.99. Equal values of different kinds smooth about equally. */
  amount: number
}

export const NO_SMOOTHING: Smoothing = { kind: 'ema', amount: 0 }

/** Values to mark: above a bound, below one, or both; `and` if both must hold, `or` if one is enough. */
export interface Rule {
  above: number | null
  below: number | null
  join: 'and' | 'or'
}

export interface ChartView {
  x: XAxis
  xScale: ScaleKind
  yScale: ScaleKind
  /** Scale of the right y axis, if the chart has one; default: that of the left axis. */
  rightScale?: ScaleKind
  smoothing: Smoothing
  /** The range of y covers the middle 98 % of the visible values. Values outside are counted at the edge. */
  robust: boolean
  rules: readonly Rule[]
  /** Charts of a group with the same word have the same y range. */
  yLink: string | null
}

export const PLAIN_VIEW: ChartView = {
  x: 'step',
  xScale: 'linear',
  yScale: 'linear',
  smoothing: NO_SMOOTHING,
  robust: false,
  rules: [],
  yLink: null,
}

/** `0.6`, `mean:0.9`, `gaussian:0.5`. */
export function smoothingText({ kind, amount }: Smoothing): string {
  const number = String(Number(amount.toFixed(2)))
  return kind === 'ema' ? number : `${kind}:${number}`
}

export function parseSmoothing(text: string): Smoothing | undefined {
  const found = /^(?:(ema|mean|gaussian):)?(\d*\.?\d+)$/.exec(text)
  const amount = Number(found?.[2])
  return found && amount >= 0 && amount <= MOST_SMOOTHING
    ? { kind: (found[1] ?? 'ema') as SmoothingKind, amount }
    : undefined
}

/** `>10`, `<0`, `<0,>10` for or, `>0&<10` for and; the same form as the server's `rule`. */
export function ruleText({ above, below, join }: Rule): string {
  const low = below === null ? [] : [`<${below}`]
  const high = above === null ? [] : [`>${above}`]
  return join === 'and' ? [...high, ...low].join('&') : [...low, ...high].join(',')
}

/** Undefined if the text is not a rule. At most one bound of each kind: a second one would be redundant. */
export function parseRule(text: string): Rule | undefined {
  const number = String.raw`-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`
  const found = new RegExp(`^([<>])(${number})(?:([,&])([<>])(${number}))?$`, 'i').exec(text.replaceAll(/\s/g, ''))
  if (!found || (found[4] && found[4] === found[1])) return undefined
  const rule: Rule = { above: null, below: null, join: found[3] === '&' ? 'and' : 'or' }
  for (const [sign, bound] of [
    [found[1], found[2]],
    [found[4], found[5]],
  ]) {
    if (sign === '>') rule.above = Number(bound)
    if (sign === '<') rule.below = Number(bound)
  }
  return rule
}

/** Several rules separated by semicolons. */
export function rulesText(rules: readonly Rule[]): string {
  return rules.map(ruleText).join(';')
}

export function parseRules(text: string): Rule[] | undefined {
  const rules = text === '' ? [] : text.split(';').map(parseRule)
  return rules.every((rule) => rule !== undefined) ? rules : undefined
}

/** Whether a rule marks a value; NaN is never marked. */
export function marks({ above, below, join }: Rule, value: number): boolean {
  const high = above !== null && value > above
  const low = below !== null && value < below
  return join === 'and' && above !== null && below !== null ? high && low : high || low
}

/** The intervals of y that a rule marks. */
export function bandsOf({ above, below, join }: Rule): { min: number; max: number }[] {
  if (join === 'and' && above !== null && below !== null) return above < below ? [{ min: above, max: below }] : []
  const low = below === null ? [] : [{ min: -Infinity, max: below }]
  const high = above === null ? [] : [{ min: above, max: Infinity }]
  return [...low, ...high]
}

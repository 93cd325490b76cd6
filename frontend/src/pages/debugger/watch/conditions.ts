/**
 * The 17 conditions with their short names, what they look at, and their settings with defaults: those of MindInsight
 * (mindinsight_reference, "Debugger design"). Used by the list and the editor of watchpoints.
 */
import type { Kind, Setting, Watchpoint } from '../data/messages'

/** The kind of tensors that a condition is made for. */
export type Subject = 'tensor' | 'weight' | 'gradient' | 'activation'

interface SettingShape {
  name: string
  value: number
  /** Whether it is on by default. */
  on: boolean
}

export interface Condition {
  name: string
  short: string
  subject: Subject
  settings: readonly SettingShape[]
}

const on = (name: string, value: number): SettingShape => ({ name, value, on: true })
const off = (name: string, value: number): SettingShape => ({ name, value, on: false })
const above = (abs: number): SettingShape[] => [
  on('abs_mean_gt', abs),
  off('max_gt', 1),
  off('min_gt', 1),
  off('mean_gt', 1),
]
const below = (abs: number): SettingShape[] => [
  on('abs_mean_lt', abs),
  off('max_lt', 0),
  off('min_lt', 0),
  off('mean_lt', 0),
]
const range = (): SettingShape[] => [
  on('range_start_inclusive', -1),
  on('range_end_inclusive', 1),
  on('range_percentage_lt', 100),
  off('range_percentage_gt', 100),
  off('max_min_lt', 0),
  off('max_min_gt', 1),
]

export const CONDITIONS: readonly Condition[] = [
  { name: 'tensor_overflow', short: 'TO', subject: 'tensor', settings: [] },
  { name: 'operator_overflow', short: 'OO', subject: 'tensor', settings: [] },
  { name: 'tensor_all_zero', short: 'TZ', subject: 'tensor', settings: [on('zero_percentage_ge', 100)] },
  { name: 'tensor_too_large', short: 'TL', subject: 'tensor', settings: above(1) },
  { name: 'tensor_too_small', short: 'TS', subject: 'tensor', settings: below(1e-6) },
  { name: 'tensor_range', short: 'TR', subject: 'tensor', settings: range() },
  {
    name: 'weight_initialization',
    short: 'WI',
    subject: 'weight',
    settings: [on('zero_percentage_ge', 100), off('max_gt', 1), off('min_lt', -1)],
  },
  { name: 'weight_overflow', short: 'WO', subject: 'weight', settings: [] },
  { name: 'weight_too_large', short: 'WL', subject: 'weight', settings: above(1) },
  { name: 'weight_too_small', short: 'WS', subject: 'weight', settings: below(1e-6) },
  { name: 'weight_not_changed', short: 'WNC', subject: 'weight', settings: [on('rtol', 1e-5)] },
  { name: 'weight_change_too_large', short: 'WCL', subject: 'weight', settings: [on('abs_mean_update_ratio_gt', 0.1)] },
  {
    name: 'weight_change_too_small',
    short: 'WCS',
    subject: 'weight',
    settings: [on('abs_mean_update_ratio_lt', 1e-4)],
  },
  { name: 'gradient_exploding', short: 'GE', subject: 'gradient', settings: [] },
  { name: 'gradient_too_large', short: 'GL', subject: 'gradient', settings: above(1) },
  { name: 'gradient_vanishing', short: 'GV', subject: 'gradient', settings: below(1e-9) },
  { name: 'activation_range', short: 'AR', subject: 'activation', settings: range() },
]
export const EXPRESSION = 'expression'
const byName = new Map(CONDITIONS.map((one) => [one.name, one]))
export const conditionOf = (name: string): Condition | null => byName.get(name) ?? null
export const shortOf = (name: string): string => byName.get(name)?.short ?? ''

const KINDS_OF: Record<Subject, readonly Kind[]> = {
  tensor: ['ACTIVATION', 'GRADIENT'],
  weight: ['WEIGHT'],
  gradient: ['GRADIENT'],
  activation: ['ACTIVATION'],
}
export const standardKinds = (name: string): readonly Kind[] => KINDS_OF[byName.get(name)?.subject ?? 'tensor']
export const standardSettings = (name: string): readonly Setting[] =>
  (byName.get(name)?.settings ?? []).map(({ name: setting, value, on: enabled }) => ({ name: setting, value, enabled }))

/** A new watchpoint with default settings. */
export function newWatchpoint(id: number, condition: string, nodes: readonly string[] = []): Watchpoint {
  return {
    id,
    condition,
    expression: '',
    settings: standardSettings(condition),
    targets: { kinds: nodes.length ? [] : standardKinds(condition), patterns: [], nodes },
    enabled: true,
    log_only: false,
  }
}
export const nextId = (all: readonly Watchpoint[]): number => Math.max(0, ...all.map(({ id }) => id)) + 1

const SIGNS: readonly [string, string][] = [
  ['_gt', '>'],
  ['_lt', '<'],
  ['_ge', '≥'],
  ['_le', '≤'],
]
/** `abs_mean_gt` is the statistic `abs_mean` and the sign `>`. */
export function partsOf(setting: string): { statistic: string; sign: string } {
  const [end, sign] = SIGNS.find(([suffix]) => setting.endsWith(suffix)) ?? ['', '']
  return { statistic: end ? setting.slice(0, -end.length) : setting, sign }
}

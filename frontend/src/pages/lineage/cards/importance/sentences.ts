/**
 * Sentences about the fitted model: interactions, parameters that cannot be separated, reasons why a figure is
 * unreliable. Pure but for the texts.
 */
import type { ImportanceResult, Interaction, Notice } from '../answers'
import { figure } from './figures'

type Say = (key: string, named?: Record<string, unknown>, plural?: number) => string
type Knows = (key: string) => boolean

/** From this share of its importance on, a parameter acts only together with the other one. */
const ONLY = 0.6

/** The sentence about two interacting parameters; null if chance explains the interaction. */
export function interactionText(
  found: Interaction,
  { parameters }: ImportanceResult,
  t: Say,
  title: (name: string) => string,
): string | null {
  if (!(found.low > 0)) return null
  const importance = (name: string): number => parameters.find((one) => one.name === name)?.importance ?? 0
  // The sentence is about the less important of the two.
  const [lesser, other] = importance(found.a) <= importance(found.b) ? [found.a, found.b] : [found.b, found.a]
  const named = {
    a: title(lesser),
    b: title(other),
    strength: figure(found.strength),
    by: figure((found.high - found.low) / 2),
  }
  return t(found.strength >= ONLY * importance(lesser) ? 'cards.mattered.only' : 'cards.mattered.together', named)
}

/** A notice; null if there is no text for it. */
export function noticeText(notice: Notice, t: Say, knows: Knows, title: (name: string) => string): string | null {
  const key = `cards.notice.${notice.code}`
  if (!knows(key)) return null
  const named = Object.fromEntries(Object.entries(notice).map(([name, value]) => [name, detailText(value, title)]))
  return t(key, named)
}

function detailText(value: unknown, title: (name: string) => string): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : figure(value)
  if (Array.isArray(value)) return value.map((one) => detailText(one, title)).join(', ')
  return typeof value === 'string' ? title(value) : ''
}

/** First what makes all figures doubtful, then interactions, then notices about single parameters. */
const FIRST = new Set(['no_target', 'not_numeric', 'constant_target', 'too_few', 'no_signal', 'incomplete'])

/** All sentences, in this order. */
export function sentences(result: ImportanceResult, t: Say, knows: Knows, title: (name: string) => string): string[] {
  const notices = (first: boolean): (string | null)[] =>
    result.notices.filter(({ code }) => FIRST.has(code) === first).map((notice) => noticeText(notice, t, knows, title))
  const together = result.interactions.slice(0, 2).map((one) => interactionText(one, result, t, title))
  return [...notices(true), ...together, ...notices(false)].filter((text) => text !== null)
}

const PALE = new Set(['too_few', 'no_signal'])

/** Whether the figures are too unreliable to be drawn in full. */
export const isWeak = ({ notices }: ImportanceResult): boolean => notices.some(({ code }) => PALE.has(code))

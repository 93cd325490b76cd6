/** Custom charts: several tags on one chart with a name. Kept in the address and in saved views. */
import type { QueryParam } from '../../scaffold/viewState'
import { formatNames, parseNames } from './names'

export interface OwnChart {
  title: string
  tags: readonly string[]
  /** The tags on the right axis. */
  right?: readonly string[]
}

export const MOST_TAGS = 12

function parseChart(text: string): OwnChart | undefined {
  const [title, tags, right, more] = text.split('=')
  if (!title || !tags || more !== undefined) return undefined
  return chartOf(
    decodeURIComponent(title),
    parseNames(tags).filter(Boolean).slice(0, MOST_TAGS),
    right ? parseNames(right) : [],
  )
}

/**
 * A chart of these tags. The right axis needs a left one, so if all tags are to be on the right, all stay on the left.
 */
export function chartOf(title: string, tags: readonly string[], right: readonly string[]): OwnChart {
  const there = tags.filter((tag) => right.includes(tag))
  return there.length && there.length < tags.length ? { title, tags, right: there } : { title, tags }
}

function formatChart({ title, tags, right = [] }: OwnChart): string {
  return [formatNames([title]), formatNames(tags), ...(right.length ? [formatNames(right)] : [])].join('=')
}

/** `Losses=train/loss,eval/loss;Both=loss,lr=lr`: tags after a second equals sign are on the right axis. */
export const chartsParam: QueryParam<readonly OwnChart[]> = {
  default: [],
  parse(text) {
    try {
      const charts = text.split(';').map(parseChart)
      return charts.every((chart) => chart !== undefined) ? charts : undefined
    } catch {
      return undefined
    }
  },
  format: (charts) => (charts.length ? charts.map(formatChart).join(';') : null),
}

/** A title that no other chart has. */
export function freeTitle(wanted: string, charts: readonly OwnChart[]): string {
  const taken = new Set(charts.map(({ title }) => title))
  let title = wanted
  for (let number = 2; taken.has(title); number++) title = `${wanted} ${number}`
  return title
}

/** The key of a custom chart among cards; no tag begins like this. */
export const chartKey = (chart: OwnChart): string => `\u0000${chart.title}`
export const isChartKey = (key: string): boolean => key.startsWith('\u0000')

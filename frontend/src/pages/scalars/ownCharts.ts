/** Charts that people put together: several tags on one, each chart with a name. Kept in the address and in saved views. */
import type { QueryParam } from '../../app/viewState'
import { formatNames, parseNames } from './names'

export interface OwnChart {
  title: string
  tags: readonly string[]
}

export const MOST_TAGS = 12

function parseChart(text: string): OwnChart | undefined {
  const [title, tags, more] = text.split('=')
  if (!title || !tags || more !== undefined) return undefined
  return { title: decodeURIComponent(title), tags: parseNames(tags).filter(Boolean).slice(0, MOST_TAGS) }
}

/** `Losses=train/loss,eval/loss;Rates=lr`. */
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
  format: (charts) => (charts.length ? charts.map(({ title, tags }) => `${formatNames([title])}=${formatNames(tags)}`).join(';') : null),
}

/** A title that no other chart has. */
export function freeTitle(wanted: string, charts: readonly OwnChart[]): string {
  const taken = new Set(charts.map(({ title }) => title))
  let title = wanted
  for (let number = 2; taken.has(title); number++) title = `${wanted} ${number}`
  return title
}

/** The key of a chart among cards: no tag begins so. */
export const chartKey = (chart: OwnChart): string => `\u0000${chart.title}`
export const isChartKey = (key: string): boolean => key.startsWith('\u0000')

/** Reports drawn points to measurements of delays. Called by LinePlot after painting. */
import type { Line } from './plotLines'

declare global {
  interface Window {
    /** Called after a chart painted the newest point of a series. Set by measurements of delays. */
    __mindinsightPainted?: (series: number, step: number) => void
  }
}

/** Reports the newest point of each line that changed since the last call. */
export function reportPainted(lines: readonly Line[]): void {
  const tell = window.__mindinsightPainted
  for (const line of lines) {
    const { full } = line.series
    if (line.painted === full.version) continue
    line.painted = full.version
    if (tell && full.length) tell(line.spec.series, full.step[full.length - 1])
  }
}

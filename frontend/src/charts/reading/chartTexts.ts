/**
 * Exports of a chart as text: CSV, a figure for LaTeX, a script for the Python client. Pure; called by
 * ChartExport.vue.
 */
import type { Curve } from '../curves/curve'
import { byRun } from '../curves/parts'
import type { Line } from '../curves/plotLines'
import { rowsWithin, type Range } from '../scales/range'
import { tagOf, type ChartView } from '../view'

type Drawn = Pick<Line, 'spec' | 'curve' | 'smooth'>

/** Numbers, with JSON's words for values that are not finite, like the server's tables. */
function number(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? 'Infinity' : '-Infinity'
}

function field(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function* shownRows(curve: Curve, x: Range): Generator<number> {
  const { from, to } = rowsWithin(curve, x)
  for (let row = from; row < to; row++) if (curve.x[row] >= x.min && curve.x[row] <= x.max) yield row
}

/** A chart of one tag, or of several tags, which are then part of the lines' names. */
export interface TextChart {
  tag: string
  lines: readonly Drawn[]
  x: Range
}

/**
 * The drawn points: for long curves the extremes of each pixel, with the smoothed value at the same
 * place.
 */
export function csvOf(charts: readonly TextChart[], view: ChartView): string {
  const smoothed = view.smoothing.amount > 0
  const head = ['run', 'tag', 'segment', 'step', 'x', 'value', ...(smoothed ? ['smoothed'] : [])]
  const table = [head.join(',')]
  for (const { tag, x, spec, curve, smooth } of charts.flatMap(({ tag, x, lines }) =>
    lines.map((line) => ({ tag, x, ...line })),
  )) {
    const names = [field(spec.directory ?? spec.of?.run ?? spec.name), field(spec.of?.tag ?? tag), String(spec.segment)]
    for (const row of shownRows(curve, x)) {
      const soft = smooth === curve ? curve.smooth[row] : smooth.smoothAt(curve.x[row])
      table.push(
        [
          ...names,
          number(curve.step[row]),
          number(curve.x[row]),
          number(curve.y[row]),
          ...(smoothed ? [number(soft)] : []),
        ].join(','),
      )
    }
  }
  return `${table.join('\n')}\n`
}

const SPECIAL = /[\\{}$&#_%^~]/g
const ESCAPED: Record<string, string> = {
  '\\': String.raw`\textbackslash{}`,
  '^': String.raw`\^{}`,
  '~': String.raw`\~{}`,
}

function tex(text: string): string {
  return text.replace(SPECIAL, (sign) => ESCAPED[sign] ?? `\\${sign}`)
}

/** A figure for LaTeX with pgfplots; the drawn curves, in the colours of the screen. */
export function pgfOf(
  tag: string,
  lines: readonly Drawn[],
  view: ChartView,
  x: Range,
  xName: string,
  colour: (css: string) => string,
): string {
  const right = lines.filter(({ spec }) => spec.side === 'right')
  const common = [
    'width=12cm, height=7cm',
    ...(view.xScale === 'log' ? ['xmode=log'] : []),
    'unbounded coords=jump',
    'legend cell align=left',
  ]
  const across = right.length ? [`xmin=${x.min}, xmax=${x.max}`] : []
  const first = [
    ...common,
    `title={${tex(tag)}}`,
    `xlabel={${tex(xName)}}`,
    'grid=major',
    `legend pos=${right.length ? 'north west' : 'outer north east'}`,
    ...(view.yScale === 'log' ? ['ymode=log'] : []),
    ...across,
    ...(right.length ? ['axis y line*=left'] : []),
  ]
  const second = [
    ...common,
    'axis y line*=right',
    'axis x line=none',
    'legend pos=north east',
    ...((view.rightScale ?? view.yScale) === 'log' ? ['ymode=log'] : []),
    ...across,
  ]
  const parts = [
    String.raw`% \usepackage{pgfplots} \pgfplotsset{compat=1.16}`,
    String.raw`\begin{tikzpicture}`,
    ...pgfAxis(
      first,
      lines.filter((line) => !right.includes(line)),
      x,
      colour,
    ),
    ...(right.length ? pgfAxis(second, right, x, colour) : []),
  ]
  return `${[...parts, String.raw`\end{tikzpicture}`].join('\n')}\n`
}

function pgfAxis(
  options: readonly string[],
  lines: readonly Drawn[],
  x: Range,
  colour: (css: string) => string,
): string[] {
  const parts = [String.raw`\begin{axis}[`, `  ${options.join(',\n  ')}]`]
  for (const group of byRun(lines)) {
    group.forEach(({ spec, smooth }, at) => {
      const [red, green, blue] = channels(colour(spec.colour))
      const options = [
        `color={rgb,255:red,${red};green,${green};blue,${blue}}`,
        'line width=0.8pt',
        ...(spec.restart === null ? [] : ['dashed']),
        ...(at ? ['forget plot'] : []),
      ]
      parts.push(`\\addplot[${options.join(', ')}] coordinates {`)
      for (const row of shownRows(smooth, x))
        parts.push(`  (${smooth.x[row]}, ${Number.isFinite(smooth.smooth[row]) ? smooth.smooth[row] : 'nan'})`)
      parts.push('};')
      if (at === 0) parts.push(`\\addlegendentry{${tex(spec.name)}}`)
    })
  }
  return [...parts, String.raw`\end{axis}`]
}

function channels(colour: string): [number, number, number] {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour)
  return found ? [parseInt(found[1], 16), parseInt(found[2], 16), parseInt(found[3], 16)] : [0, 0, 0]
}

const quoted = (text: string): string => JSON.stringify(text)

/** A script that fetches every point of the same curves with the Python client. */
export function pythonOf(
  address: string,
  tag: string,
  lines: readonly Pick<Line, 'spec'>[],
  view: ChartView,
  zoomed: Range | null,
): string {
  const runsOf = new Map<string, Set<string>>()
  for (const { spec } of lines) {
    const own = spec.of?.tag ?? tag
    runsOf.set(own, (runsOf.get(own) ?? new Set()).add(spec.directory ?? spec.of?.run ?? spec.name))
  }
  if (!runsOf.size) runsOf.set(tag, new Set())
  // The client takes patterns, so brackets, stars and question marks are escaped.
  const plain = (name: string): string => quoted(name.replaceAll(/[[*?]/g, '[$&]'))
  const script = ['from mindinsight.client import Client', '', `client = Client(${quoted(address)})`]
  const asked = [...runsOf].map(([own, runs]) => ({ tag: quoted(own), runs: `[${[...runs].map(plain).join(', ')}]` }))
  if (asked.length === 1) script.push(`curves = client.scalars(${asked[0].tag}, runs=${asked[0].runs})`)
  else {
    script.push(
      'curves = {}',
      `for tag, runs in {${asked.map(({ tag, runs }) => `${tag}: ${runs}`).join(', ')}}.items():`,
    )
    script.push('    curves |= {(run, tag): curve for run, curve in client.scalars(tag, runs=runs).items()}')
  }
  script.push('for run, curve in curves.items():', '    step, value = curve.step, curve.value')
  if (zoomed && view.x === 'step') {
    script.push(
      `    shown = (step >= ${number(zoomed.min)}) & (step <= ${number(zoomed.max)})`,
      '    step, value = step[shown], value[shown]',
    )
  }
  const along = tagOf(view.x)
  if (along !== null) script.push(`    # On the page, the values of ${quoted(along)} at the same steps lie along x.`)
  script.push('    print(run, len(value), value[-1:])')
  return `${script.join('\n')}\n`
}

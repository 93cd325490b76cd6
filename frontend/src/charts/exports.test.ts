import { describe, expect, it } from 'vitest'

import { decodeFrames } from '../data/frames'
import { HeldSeries } from '../data/series/seriesStore'
import { encodeFrame } from '../data/testing/frames'
import { createTexts } from '../i18n'
import { csvOf, pgfOf, pythonOf } from './reading/chartTexts'
import { chipsOf, ruleWords } from './reading/chips'
import { Counts, COUNT_AFTER, countedAbove, countedBelow, countedRule, HIDDEN, type CountQuery } from './curves/counts'
import { Curve } from './curves/curve'
import type { PlotSeries } from './curves/parts'
import { trendOf } from './reading/summary'
import { SvgContext } from './drawing/svgContext'
import { NO_SMOOTHING, PLAIN_VIEW, type ChartView } from './view'

function curveOf(value: number[], kind = 1): Curve {
  const held = new HeldSeries(1)
  held.full.replace(decodeFrames(encodeFrame({ dtype: 2, kind, value }))[0], 600)
  const curve = new Curve()
  curve.update(held.full, { axis: 'step', smoothing: NO_SMOOTHING, origin: 0, span: 9 })
  return curve
}

function line(name: string, value: number[], changes: Partial<PlotSeries> = {}) {
  const curve = curveOf(value)
  const spec: PlotSeries = {
    series: 1,
    run: name.length,
    name,
    segment: 0,
    restart: null,
    origin: null,
    colour: 'var(--run-1)',
    dash: [],
    ...changes,
  }
  return { spec, curve, smooth: curve }
}

const all = { min: 0, max: 100 }

describe('a chart as CSV', () => {
  it('has the points of the range, with what is not finite in words', () => {
    expect(
      csvOf([{ tag: 'loss', lines: [line('a,"b"', [1, NaN, -Infinity, 4])], x: { min: 1, max: 2 } }], PLAIN_VIEW),
    ).toBe('run,tag,segment,step,x,value\n"a,""b""",loss,0,1,1,NaN\n"a,""b""",loss,0,2,2,-Infinity\n')
  })

  it('has smoothed values where the chart has', () => {
    const view: ChartView = { ...PLAIN_VIEW, smoothing: { kind: 'mean', amount: 0.5 } }
    expect(csvOf([{ tag: 'loss', lines: [line('a', [1])], x: all }], view).split('\n')[0]).toBe(
      'run,tag,segment,step,x,value,smoothed',
    )
  })
})

it('tables and scripts of several tags tell run and tag apart', () => {
  const lines = [
    line('a · loss', [1], { of: { run: 'a', tag: 'loss' } }),
    line('a · lr', [2], { of: { run: 'a', tag: 'lr' }, side: 'right' }),
  ]
  expect(csvOf([{ tag: 'Both', lines, x: all }], PLAIN_VIEW)).toBe(
    'run,tag,segment,step,x,value\na,loss,0,0,0,1\na,lr,0,0,0,2\n',
  )
  expect(pythonOf('x', 'Both', lines, PLAIN_VIEW, null)).toContain(
    'for tag, runs in {"loss": ["a"], "lr": ["a"]}.items():',
  )
})

it('a figure for LaTeX has an axis at each side where the chart has', () => {
  const lines = [line('a · loss', [1]), line('a · lr', [2], { side: 'right' })]
  const [, left, right] = pgfOf(
    'Both',
    lines,
    { ...PLAIN_VIEW, rightScale: 'log' },
    all,
    'step',
    () => '#2655d1',
  ).split(String.raw`\begin{axis}`)
  expect(left).toMatch(/axis y line\*=left[^]*a · loss/)
  expect(right).toMatch(/ymode=log[^]*a · lr/)
  expect(left).not.toContain('ymode=log')
})

it('a figure for LaTeX has each curve with its colour and name, without signs that LaTeX reads', () => {
  const text = pgfOf(
    'loss_50%',
    [line('adam_1', [1, NaN, 3]), line('sgd', [2], { restart: 5 })],
    { ...PLAIN_VIEW, yScale: 'log' },
    all,
    'step',
    () => '#2655d1',
  )
  expect(text).toContain(String.raw`title={loss\_50\%}`)
  expect(text).toContain('ymode=log')
  expect(text).toContain('color={rgb,255:red,38;green,85;blue,209}')
  expect(text).toContain('(0, 1)\n  (1, nan)\n  (2, 3)')
  expect(text).toContain(String.raw`\addlegendentry{adam\_1}`)
  expect(text.match(/dashed/g)).toHaveLength(1)
})

it('a script names the address, the tag, the runs and the range', () => {
  const script = pythonOf(
    'http://127.0.0.1:8080',
    'loss',
    [line('a[1]', [1]), line('b', [1]), line('b', [2])],
    PLAIN_VIEW,
    { min: 2, max: 7.5 },
  )
  expect(script).toContain('client = Client("http://127.0.0.1:8080")')
  expect(script).toContain('curves = client.scalars("loss", runs=["a[[]1]", "b"])')
  expect(script).toContain('shown = (step >= 2) & (step <= 7.5)')
  expect(pythonOf('x', 'loss', [], PLAIN_VIEW, null)).not.toContain('shown')
})

it('a drawing in SVG has what a canvas would show', () => {
  const drawing = new SvgContext()
  drawing.save()
  drawing.beginPath()
  drawing.rect(0, 0, 10, 10)
  drawing.clip()
  drawing.globalAlpha = 0.5
  drawing.beginPath()
  drawing.moveTo(1, 2)
  drawing.lineTo(3.333, 4)
  drawing.setLineDash([2, 2])
  drawing.stroke()
  drawing.restore()
  drawing.fillText('a < "b"', 5, 6)
  const text = drawing.text(20, 10, 'loss & more')
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
  expect(parsed.querySelector('parsererror')).toBeNull()
  expect(parsed.querySelector('title')?.textContent).toBe('loss & more')
  const path = parsed.querySelector('svg > path')
  expect(path?.getAttribute('d')).toBe('M1 2L3.33 4')
  expect([
    path?.getAttribute('opacity'),
    path?.getAttribute('clip-path'),
    path?.getAttribute('stroke-dasharray'),
  ]).toEqual(['0.5', 'url(#clip1)', '2 2'])
  const words = parsed.querySelector('text')
  expect([words?.textContent, words?.getAttribute('clip-path'), words?.getAttribute('opacity')]).toEqual([
    'a < "b"',
    null,
    null,
  ])
})

describe('the head of a chart', () => {
  const { t } = createTexts('en').global
  const none = { hidden: 0, above: 0, below: 0, hits: [] }

  it('says what cannot be seen and what rules mark', () => {
    const view: ChartView = { ...PLAIN_VIEW, yScale: 'log', rules: [{ above: 10, below: 0, join: 'or' }] }
    const chips = chipsOf(
      { counts: { hidden: 12, above: 3, below: 0, hits: [41] }, linear: { x: null, y: null } },
      view,
      t,
      'en',
    )
    expect(chips.map(({ text, tone }) => [text, tone])).toEqual([
      ['41 < 0 or > 10', 'warn'],
      ['log', 'plain'],
      ['12 ≤ 0 hidden', 'plain'],
      ['↑ 3 above', 'plain'],
    ])
  })

  it('says nothing of a plain chart, and counts nothing that nobody counted', () => {
    expect(chipsOf({ counts: none, linear: { x: null, y: null } }, PLAIN_VIEW, t, 'en')).toEqual([])
    const view: ChartView = { ...PLAIN_VIEW, rules: [{ above: 1, below: null, join: 'or' }] }
    expect(
      chipsOf({ counts: { ...none, hits: [null] }, linear: { x: null, y: 0.001 } }, view, t, 'en').map(
        ({ text }) => text,
      ),
    ).toEqual(['> 1: counting', 'symlog ±0.001'])
  })

  it('words rules', () => {
    expect(ruleWords({ above: 0, below: 1, join: 'and' }, t, 'en')).toBe('> 0 and < 1')
  })
})

describe('counting', () => {
  const rule = countedRule({ above: 2, below: null, join: 'or' })
  const soon = (): Promise<void> => new Promise((done) => setTimeout(done, COUNT_AFTER + 40))

  it('is done here where every point is held', () => {
    const counts = new Counts(
      () => undefined,
      () => Promise.reject(new Error('asked')),
    )
    counts.update([{ series: 1, curve: curveOf([1, 3, NaN, Infinity, 2]), end: 5 }], 'step', null, [rule])
    expect(counts.hits).toEqual([2])
    counts.update([{ series: 1, curve: curveOf([1, 3, NaN, Infinity, 2]), end: 5 }], 'step', { min: 2, max: 4 }, [rule])
    expect(counts.hits).toEqual([1])
  })

  it('leaves to their own marks what is infinite', () => {
    const values = [-Infinity, -1, 0, 1, 5, 9, Infinity, NaN]
    expect(
      [HIDDEN, countedAbove(4), countedBelow(4), countedBelow(4, 0)].map(({ holds }) => values.filter(holds)),
    ).toEqual([[-1, 0], [5, 9], [-1, 0, 1], [1]])
  })

  it('is asked of the server for the rest, once for each range', async () => {
    const asked: CountQuery[] = []
    const counts = new Counts(
      () => undefined,
      (query) => (asked.push(query), Promise.resolve([[40]])),
    )
    const lines = [
      { series: 1, curve: curveOf([5]), end: 1 },
      { series: 2, curve: curveOf([1, 9], 2), end: 900 },
    ]
    counts.update(lines, 'relative', { min: 0, max: 5 }, [rule])
    expect(counts.hits).toEqual([null])
    await soon()
    counts.update(lines, 'relative', { min: 0, max: 5 }, [rule])
    await soon()
    expect(counts.hits).toEqual([41])
    expect(asked).toEqual([{ series: [2], x: 'relative', range: { min: 0, max: 5 }, rule: '>2' }])
    counts.release()
  })
})

describe('the trend of a curve', () => {
  const of = (value: number[]): string => {
    const trend = trendOf({
      step: Float64Array.from(value, (_, at) => at),
      value: Float64Array.from(value),
      sample: null,
      length: value.length,
    })
    return trend ? `${trend.way} ${trend.steps}` : 'none'
  }
  const many = (count: number, at: (n: number) => number): number[] => Array.from({ length: count }, (_, n) => at(n))

  it('is that since the last turn, whatever noise there is', () => {
    expect(of(many(300, (n) => n))).toMatch(/^rising 2\d\d$/)
    expect(of(many(300, (n) => -n + (n % 2)))).toMatch(/^falling 2\d\d$/)
    const turned = of(many(400, (n) => (n < 300 ? -n : -300 + 2 * (n - 300))))
    expect(turned).toMatch(/^rising (8|9)\d$/)
  })

  it('is level where a long end changes little', () => {
    expect(of(many(400, (n) => (n < 100 ? 100 - n : Math.sin(n) / 2)))).toMatch(/^level [12]\d\d$/)
    expect(of(many(50, () => 3))).toBe('level 49')
  })

  it('is not told of a few points', () => expect(of([1, 2, NaN, 3])).toBe('none'))
})

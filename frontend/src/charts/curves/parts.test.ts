import { describe, expect, it } from 'vitest'

import type { Columns } from '../../data/series/columns'
import { decodeFrames } from '../../data/frames'
import { HeldSeries } from '../../data/series/seriesStore'
import { encodeFrame, type FrameInput } from '../../data/testing/frames'
import { createTexts } from '../../i18n'
import { Curve } from './curve'
import { byRun, bySegment, forks, predecessors, restartAfter, type PlotSeries } from './parts'
import { readAt, type PlottedSeries } from '../reading/readout'
import { markAt, momentMarks, type Moment, type Setting } from '../drawing/moments'
import { LINEAR } from '../scales/scale'
import type { Projection } from '../drawing/strokes'
import { summarise } from '../reading/summary'
import { NO_SMOOTHING } from '../view'
import { beforeRestart, momentLines } from '../reading/words'

function fill(columns: Columns, input: FrameInput): void {
  columns.replace(decodeFrames(encodeFrame({ dtype: 2, ...input }))[0], 600)
}

let number = 0
function part(spec: Partial<PlotSeries>, step: number[], value = step): PlottedSeries {
  const series = new HeldSeries(++number)
  fill(series.full, { step, value })
  const curve = new Curve()
  curve.update(series.full, { axis: 'step', smoothing: NO_SMOOTHING, origin: 0, span: 100 })
  const whole: PlotSeries = {
    series: number,
    run: 1,
    name: 'a',
    segment: 0,
    restart: null,
    origin: null,
    colour: '#000',
    dash: [],
    ...spec,
  }
  return { spec: whole, series, curve, whole: curve, smooth: curve, smoothWhole: curve }
}

const { t } = createTexts('en').global

describe('segments', () => {
  it('are superseded by any later one that has the tag, from its earliest step on', () => {
    const parts = [
      { segment: 0, firstStep: 0 },
      { segment: 1, firstStep: 51 },
      { segment: 2, firstStep: 30 },
    ]
    expect(parts.map(({ segment }) => restartAfter(segment, parts))).toEqual([30, 30, null])
    expect(restartAfter(0, [{ segment: 0, firstStep: 0 }])).toBeNull()
  })

  it('are grouped by run, the newest first', () => {
    const lines = [part({ run: 2 }, [0]), part({ run: 1, segment: 0 }, [0]), part({ run: 2, segment: 3 }, [0])]
    expect(byRun(lines).map((group) => bySegment(group).map((parts) => parts[0].spec.segment))).toEqual([[3, 0], [0]])
  })
})

describe('files of a segment', () => {
  it('are one curve in order of their first steps', () => {
    const [late, early, middle] = [part({}, [20, 29]), part({}, [0, 9]), part({}, [10, 19])]
    expect(predecessors([late, early, middle])).toEqual(
      new Map([
        [middle, early],
        [late, middle],
      ]),
    )
  })

  it('are strokes of their own where they overlap, and never joined across segments, runs or nothing', () => {
    expect(predecessors([part({}, [0, 10]), part({}, [5, 15])]).size).toBe(0)
    expect(predecessors([part({}, [0, 10]), part({ segment: 1 }, [11])]).size).toBe(0)
    expect(predecessors([part({}, [0, 10]), part({ run: 2 }, [11])]).size).toBe(0)
    expect(predecessors([part({}, []), part({}, [11])]).size).toBe(0)
  })

  it('are smoothed as if they were one', () => {
    const values = Array.from({ length: 40 }, (_, at) => Math.sin(at / 3) * 10)
    const steps = values.map((_, at) => at)
    const settings = { axis: 'step', smoothing: { kind: 'ema', amount: 0.9 }, origin: 0, span: 39 } as const
    const curveOf = (from: number, to: number, previous?: Curve): Curve => {
      const held = new HeldSeries(1)
      fill(held.full, { step: steps.slice(from, to), value: values.slice(from, to) })
      const curve = new Curve()
      curve.update(held.full, settings, undefined, previous)
      return curve
    }
    const whole = curveOf(0, 40)
    const second = curveOf(15, 40, curveOf(0, 15))
    for (let row = 0; row < 25; row++) expect(second.smooth[row]).toBeCloseTo(whole.smooth[15 + row], 9)
  })
})

describe('forks', () => {
  it('lie at the newest older point before the restart', () => {
    const old = part({ segment: 0, restart: 51 }, [0, 40, 60, 100])
    const [fresh, more, other] = [
      part({ segment: 1 }, [51, 60]),
      part({ segment: 1 }, [61, 70]),
      part({ run: 2, segment: 1 }, [80]),
    ]
    const found = forks([old, more, fresh, other])
    expect([...found.keys()]).toEqual([fresh])
    expect(found.get(fresh)).toEqual({ from: old, row: 1 })
  })

  it('leave whichever older segment reached farthest before it', () => {
    const lines = [part({ segment: 0 }, [0, 10, 20]), part({ segment: 1 }, [5, 6]), part({ segment: 2 }, [12])]
    expect(forks(lines).get(lines[2])).toEqual({ from: lines[0], row: 1 })
    expect(forks([part({ segment: 0 }, [10]), part({ segment: 1 }, [3])]).size).toBe(0)
  })
})

describe('the reading of a restarted run', () => {
  // Trained to step 100, restarted at 51, now at 70.
  const old = part({ restart: 51 }, [0, 40, 60, 100], [9, 5, 4, 1])
  const fresh = part({ segment: 1 }, [51, 60, 70], [5.5, 4.5, 3])
  const at = (x: number | null): [number, string] => {
    const [reading, ...others] = readAt([old, fresh], x)
    expect(others).toEqual([])
    return [reading.value, beforeRestart(reading, t, 'en')]
  }

  it('is one, of the newest segment where it has a value', () => {
    expect(at(60)).toEqual([4.5, ''])
    expect(at(null)).toEqual([3, ''])
  })

  it('says in words where it is older', () => {
    expect(at(45)).toEqual([5, 'before the restart at step 51'])
    expect(at(100)).toEqual([1, 'before the restart at step 51'])
  })

  it('counts the lowest value only of what was not trained again', () => {
    expect(readAt([old, fresh], null)[0]).toMatchObject({ min: 3, minStep: 70 })
    expect(readAt([part({ restart: 51 }, [0, 40, 60], [9, 2, 1]), fresh], null)[0]).toMatchObject({
      min: 2,
      minStep: 40,
    })
  })

  it('goes on between the files of a segment', () => {
    const parts = [part({}, [0, 9], [1, 2]), part({}, [20, 29], [3, 4])]
    expect(readAt(parts, 15)[0].value).toBe(2)
    expect(readAt(parts, 20)[0].value).toBe(3)
    expect(readAt(parts, 30)[0].row).toBe(-1)
  })

  it('may have another place for each line', () => {
    expect(readAt([old, fresh], (line) => (line === old ? 60 : -Infinity))[0].value).toBe(4)
  })

  it('counts as one run in the summary, from its first to its newest value', () => {
    expect(summarise('loss', [old, fresh], [])).toMatchObject({
      runs: 1,
      first: 9,
      last: 3,
      best: { value: 3, step: 70 },
    })
  })
})

describe('moments', () => {
  const flat: Projection = { ax: 1, bx: 0, ay: 1, by: 0, x: LINEAR, y: LINEAR }
  const restart = (step: number, run = 1): Moment => ({
    run,
    name: `run_${run}`,
    colour: `var(--run-${run})`,
    step,
    wall: 1000 + step,
    origin: 1000,
  })

  it('lie at their step or time, and only on the plot', () => {
    const marks = momentMarks([restart(51), restart(500)], 'step', { ...flat, ax: 2, bx: -2 }, 200)
    expect(marks).toMatchObject([{ px: 100, colour: 'var(--run-1)' }])
    expect(momentMarks([restart(51)], 'relative', { ...flat, ax: 2 }, 200)[0].px).toBe(102)
    expect(momentMarks([{ ...restart(51), origin: null }], 'relative', { ...flat, ax: 2 }, 1e9)).toEqual([])
    expect(momentMarks([{ ...restart(51), originStep: 40 }], 'relative-step', flat, 200)[0].px).toBe(11)
    expect(momentMarks([restart(51)], 'tag:lr', flat, 1e9)).toEqual([])
  })

  it('share a mark where they would lie on one another', () => {
    const marks = momentMarks([restart(54, 2), restart(51), restart(80)], 'step', flat, 200)
    expect(marks.map((mark) => [mark.moments.length, mark.colour])).toEqual([
      [2, 'var(--text-2)'],
      [1, 'var(--run-1)'],
    ])
    expect(markAt(marks, 53)?.moments.length).toBe(2)
    expect(markAt(marks, 66)).toBeNull()
  })

  it('are named, and counted where there are many', () => {
    expect(momentLines([restart(51)], t, 'en')).toEqual(['run_1: restarted at step 51'])
    expect(
      momentLines(
        [1, 2, 3, 4, 5].map((run) => restart(51, run)),
        t,
        'en',
      ).slice(2),
    ).toEqual(['run_3: restarted at step 51', 'and 2 more'])
  })

  it('say which setting was changed, from what and to what', () => {
    const said = (before: Setting | null, after: Setting | null): string =>
      momentLines([{ ...restart(420), change: { name: 'learning_rate', before, after } }], t, 'en')[0]
    expect(said(Math.fround(0.1), 0.01)).toBe('run_1: learning_rate 0.1 → 0.01 after step 420')
    expect(said(false, true)).toBe('run_1: learning_rate false → true after step 420')
    expect(said(null, 'graph')).toBe('run_1: learning_rate set to graph after step 420')
    expect(said(1, null)).toBe('run_1: learning_rate 1 → ? after step 420')
  })
})

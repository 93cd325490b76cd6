/** Opening and closing through the scene: which boxes are shown, which are laid out again, which stay in place. */
import { describe, expect, it, vi } from 'vitest'

import { HitGrid } from '../draw/hit'
import { chipsOf } from '../draw/chips'
import { withContainers } from '../draw/look'
import { fitAll, fitView, windowOf, zoomAt } from '../draw/view'
import { layOut } from '../layout/parts'
import type { LayoutInput } from '../layout/types'
import { chainOf, containerOf, isWithin } from '../paths'
import { shortType } from './compose'
import { anchorShift } from './drawing'
import { boxOf, edgeOf, insideOf, loadMade } from './made'
import { noteOf } from './measure'
import { Scene, TooManyBoxes, type Load } from './scene'
import { stepFrom } from './steps'

const words = {
  operators: (count: number) => `${count} ops`,
  each: (count: number) => `${count} each`,
  instance: (one: number, count: number) => `${one} / ${count}`,
}

async function made(load: Load = loadMade, most?: number) {
  const jobs: LayoutInput[] = []
  const engine = {
    layOut: (input: LayoutInput) => (jobs.push(input), Promise.resolve(layOut(input))),
    warm: () => undefined,
    end: () => undefined,
  }
  const scene = new Scene(load, engine, words, most)
  await scene.start()
  return { scene, jobs, paths: () => scene.drawing.boxes.map(({ path }) => path) }
}

describe('what stands at the right of a box', () => {
  it.each([
    [boxOf(0, 'node', 'conv1', { op: 'Conv2D' }), 'Conv2D'],
    [boxOf(0, 'node', 'Conv2D-op0', { op: 'Conv2D' }), ''],
    [boxOf(0, 'node', 'relu_3', { op: 'aten::relu' }), ''],
    [boxOf(0, 'node', 'gate', { op: 'aten::mul' }), 'mul'],
    [boxOf(0, 'node', 'conv1.weight', { op: 'Parameter' }), ''],
    [boxOf(0, 'node', 'gone', { op: null }), ''],
    [boxOf(0, 'group', 'fc1', { operators: 2 }), '2 ops'],
    [boxOf(0, 'stack', 'Layer', { operators: 24, count: 4 }), '6 each'],
  ])('is what %j has', (box, note) => expect(noteOf(box, words)).toBe(note))
})

describe('what is open', () => {
  it('is the root alone at the beginning', async () => {
    const { paths, scene } = await made()
    expect(paths()).toEqual(['0', '1', '2'])
    expect(scene.opened).toEqual([])
  })

  it('shows the first instance of a stack, then another with the same boxes open', async () => {
    const { paths, scene } = await made()
    await scene.open('1')
    await scene.open('1#0.1')
    expect(paths()).toContain('1#0.1.1')
    await scene.choose('1', 3)
    expect(paths()).toContain('1#3.1.1')
    expect(paths()).not.toContain('1#0.1')
    expect(scene.opened).toEqual(['1#3', '1#3.1'])
  })

  it('opens all around a path, whatever was open before', async () => {
    const { paths, scene } = await made()
    await scene.open('1', 1)
    await scene.openTo('1#2.1.0')
    expect(paths()).toContain('1#2.1.0')
    await scene.closeAll()
    expect(paths()).toEqual(['0', '1', '2'])
    await scene.openAll(['1#2', '1#2.1', '0'])
    expect(scene.opened).toEqual(['0', '1#2', '1#2.1'])
  })

  it('unrolls a stack into its instances, which open by themselves', async () => {
    const { paths, scene } = await made()
    await scene.unroll('1')
    expect(paths()).toEqual(['0', '1', '1#0', '1#1', '1#2', '1#3', '2'])
    expect(scene.drawing.byPath.get('1#3')).toMatchObject({ differs: true, box: { name: 'layers.3' } })
    expect(
      scene.drawing.edges
        .filter(({ container }) => container === '1')
        .map(({ source, target }) => `${source}>${target}`),
    ).toEqual(['1>1#0', '1#0>1#1', '1#1>1#2', '1#2>1#3', '1#3>1'])
    await scene.open('1#2')
    expect(paths()).toContain('1#2.0')
    expect(scene.opened).toEqual(['1#*', '1#2'])
  })

  it('refuses more boxes than can be drawn, and stays as it was', async () => {
    const { paths, scene } = await made(loadMade, 5)
    await expect(scene.open('1')).rejects.toThrow(TooManyBoxes)
    await expect(scene.unroll('1')).rejects.toMatchObject({ boxes: 7, most: 5 })
    await expect(scene.openTo('1#1.1.0')).rejects.toMatchObject({ boxes: 8 })
    expect(paths()).toEqual(['0', '1', '2'])
    expect(scene.opened).toEqual([])
  })

  it('stays as it was where loading fails, and can be tried again', async () => {
    let broken = true
    const { paths, scene } = await made(async (path) => {
      if (path === '0' && broken) throw new Error('away')
      return loadMade(path)
    })
    await expect(scene.open('0')).rejects.toThrow('away')
    expect(paths()).toEqual(['0', '1', '2'])
    broken = false
    expect(await scene.open('0')).toBe(true)
    expect(paths()).toContain('0.1')
  })

  it('loads each inside once', async () => {
    const load = vi.fn(loadMade)
    const { scene } = await made(load)
    await Promise.all([scene.open('0'), scene.open('0')])
    await scene.close('0')
    await scene.open('0')
    expect(load.mock.calls.map(([path]) => path)).toEqual(['', '0'])
  })

  it('leaves out boxes of other phases with their edges', async () => {
    const { paths, scene } = await made()
    scene.phases = new Set(['forward'])
    await scene.again()
    expect(paths()).toEqual(['0', '1'])
    expect(scene.drawing.edges).toHaveLength(1)
  })
})

describe('layouts', () => {
  it('are made for the opened box and what is around it only', async () => {
    const { scene, jobs } = await made()
    await scene.open('0')
    await scene.open('1')
    const before = jobs.length
    await scene.open('1#0.1')
    // The group, its layer and the root; not the embeddings.
    expect(jobs.slice(before).map(({ width }) => width.length)).toEqual([4, 5, 3])
  })

  it('are kept for equal insides and for what was open before', async () => {
    const { scene, jobs } = await made()
    await scene.open('1')
    const before = jobs.length
    await scene.choose('1', 2)
    await scene.close('1')
    await scene.open('1')
    expect(jobs).toHaveLength(before)
  })

  it('keep boxes inside of their containers, and lines at their boxes', async () => {
    const { scene } = await made()
    await scene.openAll(['0', '1#1', '1#1.1'])
    const { boxes, edges, byPath } = scene.drawing
    for (const box of boxes) {
      const container = byPath.get(box.container.replace(/#\d+$/, ''))
      if (!container) continue
      expect(box.x).toBeGreaterThan(container.x)
      expect(box.y).toBeGreaterThan(container.y + 30)
      expect(box.x + box.width).toBeLessThan(container.x + container.width)
      expect(box.y + box.height).toBeLessThanOrEqual(container.y + container.height)
    }
    const edge = edges.find(({ source, target }) => source === '1#1.0' && target === '1#1.1')!
    expect(edge.points[2 * edge.to - 1] + edge.dy).toBeCloseTo(byPath.get('1#1.1')!.y, 2)
  })
})

describe('what a person looked at', () => {
  it('keeps the middle of its header in place', () => {
    expect(
      anchorShift({ x: 100, y: 50, width: 100, height: 30 }, { x: 300, y: 90, width: 400, height: 300 }, 150),
    ).toEqual({ dx: 350, dy: 40 })
  })

  it('stays under the pointer when it closes', () => {
    const [before, after] = [
      { x: 0, y: 0, width: 400, height: 300 },
      { x: 50, y: 10, width: 100, height: 30 },
    ]
    const { dx } = anchorShift(before, after, 20)
    expect(20).toBeGreaterThanOrEqual(after.x - dx)
    expect(20).toBeLessThanOrEqual(after.x - dx + after.width)
  })
})

describe('places', () => {
  it('find the innermost box, headers and chips', async () => {
    const { scene } = await made()
    await scene.open('1')
    const grid = new HitGrid(scene.drawing, words)
    const stack = scene.drawing.byPath.get('1')!
    for (const box of scene.drawing.boxes.filter(({ open }) => !open)) {
      expect(grid.at(box.x + box.width / 2, box.y + box.height / 2)).toMatchObject({
        box: { path: box.path },
        part: 'box',
      })
    }
    expect(grid.at(stack.x + 20, stack.y + 20)).toMatchObject({ box: { path: '1' }, part: 'header', instance: null })
    expect(grid.at(stack.x + 3, stack.y + stack.height - 3)).toMatchObject({ box: { path: '1' }, part: 'ground' })
    const chip = chipsOf(stack, words)[3]
    expect(chip).toMatchObject({ text: '~4', differs: true })
    expect(grid.at(chip.x + 5, chip.y + 5)).toMatchObject({ instance: 3 })
    expect(grid.at(-20, -20)).toBeNull()
  })

  it('find the line that passes by', async () => {
    const { scene } = await made()
    const grid = new HitGrid(scene.drawing, words)
    const { points, from, to, dx, dy } = scene.drawing.edges[1]
    const [x, y] = [
      (points[2 * from] + points[2 * to - 2]) / 2 + dx,
      (points[2 * from + 1] + points[2 * to - 1]) / 2 + dy,
    ]
    expect(grid.edgeAt(x + 2, y, 5, '')).toBe(1)
    expect(grid.edgeAt(x + 30, y, 5, '')).toBe(-1)
    expect(grid.edgeAt(x + 2, y, 5, '1#0')).toBe(-1)
  })

  it('have a compact picker where there are many instances', async () => {
    const { scene } = await made(async (path) =>
      path === ''
        ? insideOf('', 'root', [boxOf(0, 'stack', 'Momentum', { count: 199, variants: [0] })], [])
        : insideOf(path, 'one', [boxOf(0, 'node', 'Momentum')], [edgeOf(-1, 0)]),
    )
    await scene.open('0')
    expect(chipsOf(scene.drawing.byPath.get('0')!, words).map(({ text, instance }) => [text, instance])).toEqual([
      ['‹', 198],
      ['~1 / 199', null],
      ['›', 1],
    ])
  })

  it('are led to by arrows along edges', async () => {
    const { scene } = await made()
    await scene.open('1')
    expect(stepFrom(scene.drawing, '0', 'down')?.path).toBe('1')
    expect(stepFrom(scene.drawing, '1#0.1', 'down')?.path).toBe('1#0.2')
    expect(stepFrom(scene.drawing, '1#0.1', 'up')?.path).toBe('1#0.0')
    expect(stepFrom(scene.drawing, null, 'up')?.path).toBe('0')
    expect(stepFrom(scene.drawing, '2', 'down')).toBeNull()
  })
})

describe('views and paths', () => {
  it('leaves the lower corners to what the page puts there, and the middle where it can', () => {
    const wide = { x: 0, y: 0, width: 700, height: 700 }
    const inCorner = { x: 0, y: 640, width: 100, height: 60 }
    const size = { width: 800, height: 800 }
    const placeOf = (view: { x: number; zoom: number }): number => (inCorner.x - view.x) * view.zoom
    expect(placeOf(fitAll(wide, [inCorner], size))).toBeGreaterThanOrEqual(172)
    expect(fitAll(wide, [{ ...inCorner, x: 300 }], size)).toEqual(fitView(wide, size))
  })

  it('show everything, and keep what is under the pointer when zooming', () => {
    const size = { width: 800, height: 600 }
    const view = fitView({ x: 0, y: 0, width: 3000, height: 500 }, size)
    const seen = windowOf(view, size)
    expect(seen.x).toBeLessThanOrEqual(0)
    expect(seen.x + seen.width).toBeGreaterThanOrEqual(3000)
    const zoomed = zoomAt(view, 1.7, 200, 300)
    expect(zoomed.x + 200 / zoomed.zoom).toBeCloseTo(view.x + 200 / view.zoom, 6)
    expect(zoomed.y + 300 / zoomed.zoom).toBeCloseTo(view.y + 300 / view.zoom, 6)
  })

  it('know containers and instances', () => {
    expect(chainOf('2.0#3.5')).toEqual(['2', '2.0', '2.0#3', '2.0#3.5'])
    expect(containerOf('2')).toBe('')
    expect(containerOf('')).toBeNull()
    expect([isWithin('2.10', '2.1'), isWithin('2.1#0', '2.1'), isWithin('7', '')]).toEqual([false, true, true])
    expect([...withContainers(new Set(['1#2.0']))!]).toEqual(['1', '1#2', '1#2.0'])
  })

  it('write shapes shortly', () => {
    expect(shortType('Float32[32,128,768]')).toBe('32×128×768')
    expect(shortType('Tuple')).toBe('Tuple')
  })
})

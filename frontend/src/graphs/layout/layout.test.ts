/** Layouts through the public function: properties of every graph, for many random ones. */
import { describe, expect, it } from 'vitest'

import { layOut } from './parts'
import type { LayoutInput, LayoutOutput } from './types'

/** Random numbers that are the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function graph(
  count: number,
  edges: readonly (readonly [number, number])[],
  sizes?: (box: number) => [number, number],
  ports = { first: -1, last: -1 },
): LayoutInput {
  const size = sizes ?? (() => [100, 30] as [number, number])
  return {
    width: Float32Array.from({ length: count }, (_, box) => size(box)[0]),
    height: Float32Array.from({ length: count }, (_, box) => size(box)[1]),
    inAt: new Float32Array(count),
    outAt: new Float32Array(count),
    spread: new Float32Array(count).fill(30),
    source: Int32Array.from(edges, ([from]) => from),
    target: Int32Array.from(edges, ([, to]) => to),
    ...ports,
  }
}

function randomGraph(seed: number, count: number, perBox = 1.5): LayoutInput {
  const random = randomFrom(seed)
  const edges: [number, number][] = []
  for (let edge = 0; edge < count * perBox; edge++) {
    const from = Math.floor(random() * (count - 1))
    edges.push([from, Math.min(count - 1, from + 1 + Math.floor(random() ** 3 * 12))])
  }
  const made = graph(count, edges, () => [
    40 + Math.floor(random() * 200),
    24 + Math.floor(random() * (random() < 0.1 ? 400 : 10)),
  ])
  for (let box = 0; box < count; box++) {
    made.inAt[box] = (random() - 0.5) * made.width[box] * 0.5
    made.outAt[box] = (random() - 0.5) * made.width[box] * 0.5
    made.spread[box] = made.width[box] * 0.2
  }
  return made
}

function overlaps({ width, height }: LayoutInput, { x, y }: LayoutOutput): [number, number][] {
  const found: [number, number][] = []
  for (let a = 0; a < x.length; a++) {
    for (let b = a + 1; b < x.length; b++) {
      const apart =
        x[a] + width[a] <= x[b] || x[b] + width[b] <= x[a] || y[a] + height[a] <= y[b] || y[b] + height[b] <= y[a]
      if (!apart) found.push([a, b])
    }
  }
  return found
}

const pointsOf = ({ points, pointStart }: LayoutOutput, edge: number): [number, number][] =>
  Array.from({ length: pointStart[edge + 1] - pointStart[edge] }, (_, at) => [
    points[2 * (pointStart[edge] + at)],
    points[2 * (pointStart[edge] + at) + 1],
  ])

/** Boxes that the vertical parts of an edge's line pass through. */
function crossed(input: LayoutInput, output: LayoutOutput, edge: number): number[] {
  const points = pointsOf(output, edge)
  const found: number[] = []
  for (let at = 1; at < points.length; at++) {
    const [[x, y1], [to, y2]] = [points[at - 1], points[at]]
    if (x !== to) continue
    const [high, low] = [Math.min(y1, y2), Math.max(y1, y2)]
    for (let box = 0; box < input.width.length; box++) {
      if (box === input.source[edge] || box === input.target[edge]) continue
      const inside =
        x > output.x[box] &&
        x < output.x[box] + input.width[box] &&
        low > output.y[box] &&
        high < output.y[box] + input.height[box]
      if (inside) found.push(box)
    }
  }
  return found
}

describe('layouts of random graphs', () => {
  const cases = Array.from({ length: 30 }, (_, seed) => [seed, 2 + ((seed * 37) % 120)] as const)

  it.each(cases)(
    'seed %i with %i boxes: no overlaps, everything within, edges down and around boxes',
    (seed, count) => {
      const input = randomGraph(seed + 1, count)
      const output = layOut(input)
      expect(overlaps(input, output)).toEqual([])
      for (let box = 0; box < count; box++) {
        expect(output.x[box]).toBeGreaterThanOrEqual(0)
        expect(output.x[box] + input.width[box]).toBeLessThanOrEqual(output.width + 0.01)
        expect(output.y[box] + input.height[box]).toBeLessThanOrEqual(output.height + 0.01)
      }
      for (let edge = 0; edge < input.source.length; edge++) {
        const points = pointsOf(output, edge)
        expect(output.feedback[edge]).toBe(0)
        for (let at = 1; at < points.length; at++) expect(points[at][1]).toBeGreaterThanOrEqual(points[at - 1][1])
        expect(points[0][1]).toBeCloseTo(output.y[input.source[edge]] + input.height[input.source[edge]], 3)
        expect(points.at(-1)![1]).toBeCloseTo(output.y[input.target[edge]], 3)
        expect(crossed(input, output, edge)).toEqual([])
      }
    },
  )

  it('is the same for the same input, and leaves the input alone', () => {
    const input = randomGraph(7, 80)
    const before = structuredClone(input)
    expect(layOut(input)).toEqual(layOut(randomGraph(7, 80)))
    expect(input).toEqual(before)
  })

  it('ends for 5,000 boxes, without overlaps in a rank', () => {
    const input = randomGraph(3, 5000)
    const output = layOut(input)
    const rows = new Map<number, number[]>()
    output.y.forEach((y, box) => rows.set(y, [...(rows.get(y) ?? []), box]))
    for (const boxes of rows.values()) {
      boxes.sort((a, b) => output.x[a] - output.x[b])
      for (let at = 1; at < boxes.length; at++)
        expect(output.x[boxes[at]]).toBeGreaterThanOrEqual(output.x[boxes[at - 1]] + input.width[boxes[at - 1]])
    }
  })
})

describe('single layouts', () => {
  it('puts a chain into one straight line', () => {
    const input = graph(
      5,
      [
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 4],
      ],
      (box) => [60 + 20 * box, 30],
    )
    const output = layOut(input)
    for (let edge = 0; edge < 4; edge++) expect(pointsOf(output, edge)).toHaveLength(2)
    expect(new Set(Array.from(output.x, (x, box) => x + input.width[box] / 2)).size).toBe(1)
  })

  it('keeps a chain straight whose boxes have their ends beside the middle', () => {
    const input = graph(
      3,
      [
        [0, 1],
        [1, 2],
      ],
      () => [200, 40],
    )
    input.outAt.set([40, -30, 0])
    input.inAt.set([0, -60, 10])
    const output = layOut(input)
    for (let edge = 0; edge < 2; edge++) expect(pointsOf(output, edge)).toHaveLength(2)
    expect(pointsOf(output, 0)[0][0]).toBeCloseTo(output.x[0] + 140)
    expect(pointsOf(output, 0)[1][0]).toBeCloseTo(output.x[1] + 40)
  })

  it('turns the edge round that closes a cycle', () => {
    const output = layOut(
      graph(3, [
        [0, 1],
        [1, 2],
        [2, 0],
      ]),
    )
    expect([...output.feedback]).toEqual([0, 0, 1])
    const up = pointsOf(output, 2)
    expect(up[0][1]).toBe(output.y[2])
    expect(up.at(-1)![1]).toBe(output.y[0] + 30)
  })

  it('takes what comes in for the beginning of a cycle', () => {
    const output = layOut(
      graph(
        5,
        [
          [4, 0],
          [0, 2],
          [1, 2],
          [2, 3],
          [3, 0],
        ],
        undefined,
        { first: 4, last: -1 },
      ),
    )
    expect([...output.feedback]).toEqual([0, 0, 0, 0, 1])
  })

  it('gives an edge from a box to itself no line', () => {
    const output = layOut(
      graph(2, [
        [0, 0],
        [0, 1],
      ]),
    )
    expect(pointsOf(output, 0)).toEqual([])
    expect(pointsOf(output, 1)).toHaveLength(2)
    expect([...output.feedback]).toEqual([0, 0])
  })

  it('keeps a chain straight that long edges leave on one side', () => {
    const output = layOut(
      graph(8, [
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 4],
        [4, 5],
        [5, 6],
        [0, 7],
        [1, 7],
        [2, 7],
        [3, 7],
        [4, 7],
        [6, 7],
      ]),
    )
    expect(new Set(output.x.subarray(0, 6)).size).toBe(1)
  })

  it('leads an edge past the boxes that it skips', () => {
    const input = graph(4, [
      [0, 1],
      [1, 2],
      [2, 3],
      [0, 3],
    ])
    const output = layOut(input)
    expect(crossed(input, output, 3)).toEqual([])
    expect(pointsOf(output, 3).length).toBeGreaterThan(2)
  })

  it('keeps what comes in above and what goes out below everything', () => {
    const input = graph(
      6,
      [
        [4, 0],
        [0, 1],
        [1, 5],
        [2, 1],
        [3, 5],
      ],
      undefined,
      { first: 4, last: 5 },
    )
    const { y } = layOut(input)
    for (const box of [0, 1, 2, 3]) {
      expect(y[box]).toBeGreaterThan(y[4])
      expect(y[box]).toBeLessThan(y[5])
    }
  })

  it('puts parts that nothing connects beside each other', () => {
    const input = graph(4, [
      [0, 1],
      [2, 3],
    ])
    const output = layOut(input)
    expect(overlaps(input, output)).toEqual([])
    expect(output.y[0]).toBe(output.y[2])
    expect(output.x[2]).toBeGreaterThan(output.x[0] + 100)
  })

  it('finds the order without crossings where there is one', () => {
    // Two chains whose boxes are numbered alternately, joined at both ends.
    const output = layOut(
      graph(8, [
        [0, 1],
        [0, 2],
        [2, 3],
        [1, 4],
        [3, 6],
        [4, 5],
        [5, 7],
        [6, 7],
      ]),
    )
    const side = (box: number): number => Math.sign(output.x[box] - output.x[0])
    expect(side(1)).toBe(side(4))
    expect(side(4)).toBe(side(5))
    expect(side(2)).toBe(side(3))
    expect(side(1)).toBe(-side(2))
  })

  it('lays out nothing at all', () => {
    expect(layOut(graph(0, []))).toMatchObject({ width: 0, height: 0 })
  })
})

describe('long chains', () => {
  const chain = (count: number, more: [number, number][] = []): [number, number][] => [
    ...Array.from({ length: count - 1 }, (_, at): [number, number] => [at, at + 1]),
    ...more,
  ]

  it.each([30, 200, 2000])(
    'of %i boxes stand in columns that fit a screen better, with every edge from box to box',
    (count) => {
      const input = graph(count, chain(count))
      const output = layOut(input)
      expect(overlaps(input, count > 300 ? { ...output, x: output.x.subarray(0, 300) } : output)).toEqual([])
      expect(output.width / output.height).toBeGreaterThan(0.5)
      expect(output.width / output.height).toBeLessThan(3)
      for (let edge = 0; edge < count - 1; edge++) {
        const points = pointsOf(output, edge)
        expect(points[0]).toEqual([output.x[edge] + 50, output.y[edge] + 30])
        expect(points.at(-1)).toEqual([output.x[edge + 1] + 50, output.y[edge + 1]])
        expect(crossed(count > 300 ? { ...input, width: input.width.subarray(0, 300) } : input, output, edge)).toEqual(
          [],
        )
        for (const [x, y] of points) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(output.width)
          expect(y).toBeGreaterThanOrEqual(0)
          expect(y).toBeLessThanOrEqual(output.height)
        }
      }
    },
  )

  it('lead what goes out to the bottom of everything, and what goes up back from column to column', () => {
    const input = graph(42, [...chain(40, [[39, 0]]), [40, 0], [39, 41]], (box) => (box < 40 ? [100, 30] : [0, 0]), {
      first: 40,
      last: 41,
    })
    const output = layOut(input)
    expect(new Set(Array.from(output.x.subarray(0, 40))).size).toBeGreaterThan(1)
    expect(output.y[41]).toBe(output.height)
    expect(pointsOf(output, 41).at(-1)![1]).toBe(output.height)
    const up = pointsOf(output, 39)
    expect(up[0][1]).toBe(output.y[39])
    expect(up.at(-1)![1]).toBe(output.y[0] + 30)
  })

  it('stay whole where many edges pass every place, and where they fit', () => {
    const skips = Array.from({ length: 4 }, (_, at): [number, number] => [at, 39 - at])
    expect(new Set(layOut(graph(40, chain(40, skips))).y).size).toBe(40)
    expect(new Set(layOut(graph(10, chain(10))).y).size).toBe(10)
  })
})

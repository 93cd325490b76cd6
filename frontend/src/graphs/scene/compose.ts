/** Combines the layouts of all shown insides into one drawing. Called by scene.ts. */
import { INPUT, OUTPUT, type InsideEdge } from '../inside'
import type { Drawing, DrawnBox, DrawnEdge, DrawnPort } from './drawing'
import { BOX, type BoxWords } from './measure'
import { bodyOf, type Arranged, type OpenState } from './tree'

/**
 * The width of an edge in CSS pixels at zoom 1: by its bytes if known, else by the number of edges that it stands
 * for.
 */
export function edgeWidth({ count, bytes }: InsideEdge): number {
  if (bytes === null) return Math.min(4, 1.5 + Math.log2(Math.max(1, count)) * 0.5)
  return 1.25 + 2.75 * Math.max(0, Math.min(1, (Math.log10(Math.max(1, bytes)) - 3) / 6))
}

/** Only the shape, which fits beside an edge; for types other than tensors, their beginning. */
export function shortType(type: string): string {
  const shape = /^\w+\s*[[(]([\d,\s?-]+)[\])]$/.exec(type)?.[1]
  if (shape)
    return shape
      .split(',')
      .map((size) => size.trim())
      .filter(Boolean)
      .join('×')
  return type.length > 24 ? `${type.slice(0, 23)}…` : type
}

/** @param states the open state of boxes by path */
export function compose(root: Arranged, states: ReadonlyMap<string, OpenState>, words: BoxWords, margin = 0): Drawing {
  const boxes: DrawnBox[] = []
  const edges: DrawnEdge[] = []
  const ports: DrawnPort[] = []
  const insides: string[] = []
  const place = (arranged: Arranged, x: number, y: number, depth: number): void => {
    const { shown, layout, feet, kids } = arranged
    insides.push(shown.path)
    shown.boxes.forEach((box, at) => {
      const kid = kids.get(at)
      const path = shown.paths[at]
      const state = states.get(path)
      const instance = shown.instances?.[at]
      const drawn: DrawnBox = {
        x: x + layout.x[at] + feet[at].left,
        y: y + layout.y[at],
        width: feet[at].bodyWidth,
        height: feet[at].bodyHeight,
        path,
        box,
        container: shown.path,
        depth,
        open: kid !== undefined,
        instance: kid && state && box.kind === 'stack' ? (state.all ? 'all' : state.instance) : null,
        of: instance?.instance ?? null,
        differs: instance?.differs ?? false,
      }
      boxes.push(drawn)
      if (!kid) return
      const { dx, dy } = bodyOf(box, kid, words)
      place(kid, drawn.x + dx, drawn.y + dy, depth + 1)
    })
    if (arranged.first >= 0)
      ports.push({
        x: x + layout.x[arranged.first] + BOX.port / 2,
        y: y + layout.y[arranged.first] + BOX.port / 2,
        depth,
      })
    edges.push(...edgesOf(arranged, x, y, depth))
  }
  place(root, margin, margin, 0)
  return {
    boxes,
    edges,
    ports,
    insides,
    width: root.layout.width + 2 * margin,
    height: root.layout.height + 2 * margin,
    byPath: new Map(boxes.map((box) => [box.path, box])),
  }
}

function edgesOf({ shown, layout }: Arranged, dx: number, dy: number, depth: number): DrawnEdge[] {
  const pathOf = new Map(shown.boxes.map(({ index }, at) => [index, shown.paths[at]]))
  const degree = new Map<string, number>()
  const count = (key: string): void => void degree.set(key, (degree.get(key) ?? 0) + 1)
  for (const { source, target } of shown.edges) {
    count(`>${source}`)
    count(`<${target}`)
  }
  return shown.edges.flatMap((edge, at): DrawnEdge[] => {
    const [from, to] = [layout.pointStart[at], layout.pointStart[at + 1]]
    if (to === from) return []
    const [x, y, below] = [layout.points[2 * from], layout.points[2 * from + 1], layout.points[2 * to - 1]]
    const alone = to - from === 2 && degree.get(`>${edge.source}`) === 1 && degree.get(`<${edge.target}`) === 1
    const room = alone && Math.abs(layout.points[2 * to - 2] - x) < 4 && below - y >= 20
    return [
      {
        source: pathOf.get(edge.source) ?? shown.path,
        target: pathOf.get(edge.target) ?? shown.path,
        container: shown.path,
        depth,
        kind: edge.kind,
        status: edge.status,
        width: edgeWidth(edge),
        label: edge.types > 1 ? '' : edge.type,
        arrow: edge.target !== OUTPUT,
        labelAt: room && edge.source !== INPUT ? { x: x + dx + 7, y: (y + below) / 2 + dy } : null,
        points: layout.points,
        from,
        to,
        dx,
        dy,
      },
    ]
  })
}

/**
 * Removes boxes that compute nothing and joins their edges: an edge to such a box continues to the box's targets.
 * Nothing is lost: explicitly requested boxes stay, and the lists beside the drawing have all of them. Pure; called by
 * tree.ts.
 */
import { INPUT, OUTPUT, type EdgeKind, type InsideBox, type InsideEdge } from '../inside'

/** A box with more target boxes is named at these instead of drawn, as where the server leaves out edges. */
export const MOST_PASSED = 8

export interface Contraction {
  /** Paths of boxes that are drawn in any case. */
  except: ReadonlySet<string>
}

/** Whether a box has only operators that fetch, pack and order values. */
export function isBookkeeping({ kind, bookkeeping, operators, parameters }: InsideBox): boolean {
  return bookkeeping > 0 && bookkeeping === operators && (kind === 'node' || parameters === 0)
}

interface Inner {
  boxes: readonly InsideBox[]
  edges: readonly InsideEdge[]
}

const isTuple = ({ type }: InsideEdge): boolean => type.startsWith('(')
const worse = (a: EdgeKind, b: EdgeKind): EdgeKind => (a === 'data' ? b : a)

/** One edge for a path that began with one edge and ended with another. */
function joined(first: InsideEdge, last: InsideEdge): InsideEdge {
  const told = isTuple(first) && !isTuple(last) ? last : first
  return {
    ...told,
    source: first.source,
    target: last.target,
    kind: worse(first.kind, last.kind),
    count: Math.min(first.count, last.count),
    phase: last.target === OUTPUT ? last.phase : first.phase,
    status: first.status === last.status ? first.status : 'changed',
  }
}

/**
 * Paths from an edge through removed boxes, each as one edge. A box is passed once for values and once for order.
 */
function* ways(
  first: InsideEdge,
  hidden: ReadonlySet<number>,
  out: ReadonlyMap<number, readonly InsideEdge[]>,
): Generator<InsideEdge> {
  const seen = new Set<string>()
  const waiting = [first]
  for (let way = waiting.pop(); way; way = waiting.pop()) {
    for (const next of out.get(way.target) ?? []) {
      const whole = joined(way, next)
      if (!hidden.has(next.target)) yield whole
      else if (!seen.has(`${next.target} ${whole.kind}`)) {
        seen.add(`${next.target} ${whole.kind}`)
        waiting.push(whole)
      }
    }
  }
}

function bundled(edges: Iterable<InsideEdge>): InsideEdge[] {
  const all = new Map<string, InsideEdge>()
  for (const edge of edges) {
    const key = `${edge.source} ${edge.target} ${edge.kind} ${edge.phase ?? ''}`
    const known = all.get(key)
    if (!known) all.set(key, edge)
    else {
      const types = known.type === edge.type ? Math.max(known.types, edge.types) : known.types + edge.types
      const bytes =
        known.bytes === null || edge.bytes === null ? (known.bytes ?? edge.bytes) : Math.max(known.bytes, edge.bytes)
      all.set(key, {
        ...known,
        count: known.count + edge.count,
        types,
        bytes,
        status: known.status === edge.status ? known.status : 'changed',
      })
    }
  }
  return [...all.values()]
}

/** @param paths the paths of the boxes */
export function contract<T extends Inner>(inner: T, paths: readonly string[], { except }: Contraction): T {
  const hidden = new Set(
    inner.boxes.filter((box, at) => isBookkeeping(box) && !except.has(paths[at])).map(({ index }) => index),
  )
  if (!hidden.size || hidden.size === inner.boxes.length) return inner
  const out = new Map<number, InsideEdge[]>()
  for (const edge of inner.edges)
    if (hidden.has(edge.source)) out.set(edge.source, [...(out.get(edge.source) ?? []), edge])
  const direct = inner.edges.filter(({ source, target }) => !hidden.has(source) && !hidden.has(target))
  const linked = new Set(
    direct.filter(({ kind }) => kind === 'data').map(({ source, target }) => `${source} ${target}`),
  )
  const passed = bundled(
    inner.edges
      .filter(({ source, target }) => !hidden.has(source) && hidden.has(target))
      .flatMap((edge) => [...ways(edge, hidden, out)]),
  )
    // An order edge parallel to a value edge says nothing new, and neither does an input that only leaves again.
    .filter(
      ({ source, target, kind }) =>
        source !== target &&
        !(source === INPUT && target === OUTPUT) &&
        (kind === 'data' || !linked.has(`${source} ${target}`)),
    )
  const names = namesBehind(inner, hidden)
  const crowded = crowds(passed)
  const more = new Map<number, string[]>()
  const byIndex = new Map(inner.boxes.map((box) => [box.index, box]))
  for (const { source, target } of passed)
    if (crowded.has(source)) more.set(target, [...(more.get(target) ?? []), byIndex.get(source)?.name ?? ''])
  const boxes = inner.boxes
    .filter(({ index }) => !hidden.has(index))
    .map((box) => {
      const proxies = [
        ...new Set([...box.proxies.flatMap((name) => names.get(name) ?? [name]), ...(more.get(box.index) ?? [])]),
      ]
      return proxies.length === box.proxies.length && proxies.every((name, at) => name === box.proxies[at])
        ? box
        : { ...box, proxies }
    })
  return { ...inner, boxes, edges: bundled([...direct, ...passed.filter(({ source }) => !crowded.has(source))]) }
}

/** Boxes with very many target boxes. */
function crowds(edges: readonly InsideEdge[]): Set<number> {
  const targets = new Map<number, Set<number>>()
  for (const { source, target } of edges)
    if (source >= 0 && target >= 0) targets.set(source, (targets.get(source) ?? new Set()).add(target))
  return new Set([...targets].filter(([, all]) => all.size > MOST_PASSED).map(([source]) => source))
}

/** The meaning of removed boxes' names among proxies: the boxes beyond them. */
function namesBehind({ boxes, edges }: Inner, hidden: ReadonlySet<number>): Map<string, string[]> {
  const byIndex = new Map(boxes.map((box) => [box.index, box]))
  const behind = (index: number, seen: ReadonlySet<number>): string[] => {
    const box = byIndex.get(index)
    if (!box || seen.has(index)) return []
    if (!hidden.has(index)) return [box.name]
    const further = new Set([...seen, index])
    return [
      ...box.proxies,
      ...edges.filter(({ target }) => target === index).flatMap(({ source }) => behind(source, further)),
    ]
  }
  return new Map(
    boxes.filter(({ index }) => hidden.has(index)).map((box) => [box.name, [...new Set(behind(box.index, new Set()))]]),
  )
}
